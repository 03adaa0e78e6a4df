/** A server could not be started, or did not become ready: the message then ends with the last lines of its log. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
}
