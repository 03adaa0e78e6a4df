/**
 * - `disabled`: a credential or the host is blank; the client does nothing.
 * - `invalid`: a call breaks a rule of the service; nothing of it was queued.
 * - `refused`: the service refused messages or left values out; `count` messages are lost.
 * - `expired`: older than `maxAge`; `count` messages are lost.
 * - `overflow`: the queue was full; the `count` oldest messages are lost.
 * - `unauthorized`: the service does not accept the credentials; everything is kept.
 * - `storage`: the store failed; `count` messages are lost, 0 while they are kept in memory.
 */
export type SluiceErrorCode = 'disabled' | 'invalid' | 'refused' | 'expired' | 'overflow' | 'unauthorized' | 'storage';

/** What goes to `errorHandler`; the SDK throws nothing at its caller. */
export interface SluiceError {
  readonly code: SluiceErrorCode;
  readonly message: string;
  /** Messages that are lost by it. */
  readonly count?: number;
  /** `X-Request-Id` of the answer, to be named when asking the operators. */
  readonly requestId?: string;
  readonly cause?: unknown;
}
