/** The user can put it right; the message says how and needs no stack trace. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
