import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** Ends a line of HTTP. */
export const lineEnd = '\r\n';

/** Pages of any origin may call the API: the Web SDK runs in them. `*` is safe, because no cookies are involved. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After, Preference-Applied, Date',
};

/** Headers of the answer to a CORS preflight, for every path of the API. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST',
  // `*` does not cover Authorization (Fetch standard), and older browsers take it literally: all names are listed.
  'access-control-allow-headers':
    'Authorization, Content-Type, Content-Encoding, Idempotency-Key, Prefer, traceparent, *',
  'access-control-max-age': '7200',
};

const helmetHeaders = askHelmet();

/**
 * Headers of every answer, also of those to requests that could not be parsed. They never change, so helmet runs once
 * and not per request.
 */
export const fixedHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  ...cors,
  ...helmetHeaders,
  // An answer of the API is not a page: it loads nothing, and no frame may show it.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Helmet's policy, for the pages of the documentation. */
export const pageHeaders = { 'content-security-policy': helmetHeaders['content-security-policy'] ?? '' };

/** Formats headers as lines of HTTP, each with its line end. */
export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}${lineEnd}`)
    .join('');

function askHelmet(): Record<string, string> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  // Helmet's defaults with two changes: other origins may embed answers, and plain HTTP is allowed behind a proxy.
  const contentSecurityPolicy = { directives: { upgradeInsecureRequests: null } };
  helmet({ crossOriginResourcePolicy: { policy: 'cross-origin' }, contentSecurityPolicy })(
    request,
    response,
    () => undefined,
  );
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
