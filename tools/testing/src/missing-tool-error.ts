/** A required tool is not installed. The message says in one sentence what to do. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}
