/** Something that must be installed on this machine is not; the message is one sentence that says what to do. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}
