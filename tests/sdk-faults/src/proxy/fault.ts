/** Treatment of one request by the proxy. */
export type Fault =
  | { readonly kind: 'none' }
  /** The connection ends, normally or by a reset. */
  | { readonly kind: 'cut'; readonly at: CutAt; readonly byReset: boolean }
  /** Nothing is answered until the client gives up; the gateway may have got the request. */
  | { readonly kind: 'silence'; readonly isForwarded: boolean }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The proxy answers itself. */
  | OwnAnswer;

/** `mid-request`: the gateway gets half of the body. `after`: it has answered, and the client gets nothing of it. */
export type CutAt = 'before' | 'mid-request' | 'after' | 'mid-answer';

interface OwnAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True if the gateway gets the request, too. */
  readonly isForwarded: boolean;
}

/** Headers without which a page may not read the answer. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After, Preference-Applied, Date',
};

/** A refusal as the service words it. */
const refusal = (status: number, message: string, headers: Record<string, string> = {}): OwnAnswer => ({
  kind: 'answer',
  status,
  headers: { ...cors, 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify([{ field: '', message }]),
  isForwarded: false,
});

/** An answer of something between the client and the service. */
const foreign = (status: number, headers: Record<string, string> = {}, isForwarded = false): OwnAnswer => ({
  kind: 'answer',
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: '<!doctype html><title>Welcome to the Wi-Fi of this hotel</title>',
  isForwarded,
});

/** Every fault by its name. */
export const faults = {
  none: { kind: 'none' },
  cutBefore: { kind: 'cut', at: 'before', byReset: false },
  cutMidRequest: { kind: 'cut', at: 'mid-request', byReset: false },
  cutAfter: { kind: 'cut', at: 'after', byReset: false },
  cutMidAnswer: { kind: 'cut', at: 'mid-answer', byReset: false },
  resetBefore: { kind: 'cut', at: 'before', byReset: true },
  resetAfter: { kind: 'cut', at: 'after', byReset: true },
  silence: { kind: 'silence', isForwarded: false },
  silenceAfter: { kind: 'silence', isForwarded: true },
  delay: (ms: number) => ({ kind: 'delay', ms }),
  rateLimited: (seconds: number) => refusal(429, 'error.request.rateLimited', { 'retry-after': String(seconds) }),
  unavailable: (seconds: number) => refusal(503, 'error.service.unavailable', { 'retry-after': String(seconds) }),
  unauthorized: refusal(401, 'error.sdk.authorization.failed'),
  tooLarge: refusal(413, 'error.request.tooLarge'),
  /** A proxy before the service refuses a body that is too large for it. */
  foreignTooLarge: foreign(413),
  /** The page of a portal instead of the answer, and a redirect to it. */
  portal: foreign(200, cors),
  portalRedirect: foreign(302, { location: 'http://portal.invalid/' }),
  badGateway: foreign(502),
  /** A proxy gave up on an answer of the service, which has stored the request. */
  gatewayTimeout: foreign(504, {}, true),
} as const satisfies Record<string, Fault | ((amount: number) => Fault)>;
