/** An error that the user can correct. The message says how, so no stack trace is shown. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
