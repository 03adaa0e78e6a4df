import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** Ends a line of HTTP. */
export const lineEnd = '\r\n';

/** Pages of any origin may call the API: the Web SDK runs in them. No cookies are involved, so `*` gives nothing away. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After, Preference-Applied, Date',
};

/** The answer to a CORS preflight, for every path of the API. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST',
  // `*` does not cover Authorization (Fetch standard), and older browsers take it for a name: those of the API are named.
  'access-control-allow-headers':
    'Authorization, Content-Type, Content-Encoding, Idempotency-Key, Prefer, traceparent, *',
  'access-control-max-age': '7200',
};

const helmetHeaders = askHelmet();

/**
 * What every answer carries, those of the HTTP parser included. The same for all, so helmet is asked once and not per
 * request.
 */
export const fixedHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  ...cors,
  ...helmetHeaders,
  // An answer of the API is no page: it loads nothing, and nothing shows it.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Helmet's, for the pages there are. */
export const pageHeaders = { 'content-security-policy': helmetHeaders['content-security-policy'] ?? '' };

/** The lines of the head of an answer, each with its end. */
export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}${lineEnd}`)
    .join('');

function askHelmet(): Record<string, string> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  // Helmet's defaults, but: others may embed what this API answers, and behind a proxy it speaks plain HTTP.
  const contentSecurityPolicy = { directives: { upgradeInsecureRequests: null } };
  helmet({ crossOriginResourcePolicy: { policy: 'cross-origin' }, contentSecurityPolicy })(
    request,
    response,
    () => undefined,
  );
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
