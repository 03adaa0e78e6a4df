/** A server did not become ready. The message ends with the last lines of its log. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
}
