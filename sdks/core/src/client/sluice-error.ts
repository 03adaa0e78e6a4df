/**
 * - `disabled`: a credential or the host is blank, or (on Node) the client is closed: it does nothing.
 * - `invalid`: a call breaks a rule of the service and was not queued; or an option, a plugin or the clock is wrong.
 * - `refused`: the service refused messages, and `count` of them are lost; 0 when it stored them without the values that
 *   `message` names.
 * - `expired`: a try failed after `maxAge`; at most `count` messages are lost, because an answer may have been lost.
 * - `overflow`: the queue was full; the `count` oldest messages are lost (on Node, the newest).
 * - `unauthorized`: the service does not accept the credentials; everything is kept.
 * - `unreachable`: three tries in a row had no answer of the service (wrong host or path, content blocker, Content
 *   Security Policy, network). Once per outage; everything is kept.
 * - `denied`: consent was denied, and `count` messages that waited were erased.
 * - `storage`: the store failed; `count` messages are lost, 0 while they are kept in memory.
 */
export type SluiceErrorCode =
  'disabled' | 'invalid' | 'refused' | 'expired' | 'overflow' | 'unauthorized' | 'unreachable' | 'denied' | 'storage';

/** Argument of `errorHandler`; the SDK never throws at its caller. */
export interface SluiceError {
  readonly code: SluiceErrorCode;
  readonly message: string;
  /** Number of messages lost by the error. */
  readonly count?: number | undefined;
  /** `X-Request-Id` of the answer; name it when you ask the operators. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}
