import { expect } from 'vitest';
import { type HttpAnswer, local, type SourceCredentials } from '../stack.js';

/** Body of an error that names no field. */
export const makeProblems = (message: string) => [{ field: '', message }];

export const authorizationFailed = makeProblems('error.sdk.authorization.failed');
export const sourceNotFound = makeProblems('error.sdk.source.notFound');
export const tooLarge = [
  ...makeProblems('error.request.tooLarge'),
  { field: '', message: expect.stringMatching(/^has (?:more than )?\d+ bytes; at most \d+ are allowed$/) as string },
];
/** Body of the error for a body that cannot be read: its second entry says why. */
export const malformed = [
  ...makeProblems('error.request.malformed'),
  { field: '', message: expect.any(String) as string },
];
export const unsupportedMediaType = makeProblems('error.request.unsupportedMediaType');

export const event = { userId: 'u', event: 'e' };
export const text = JSON.stringify(event);

/** A JSON event of exactly `bytes` bytes, filled with texts of `filler`. */
export function eventOfBytes(bytes: number, filler = 'x'): string {
  const frame = (values: string[]): string => JSON.stringify({ ...event, properties: { values } });
  const values: string[] = [];
  // Each text stays within the range that the gateway stores.
  while (Buffer.byteLength(frame([...values, filler.repeat(1_000)])) <= bytes) values.push(filler.repeat(1_000));
  const rest = bytes - Buffer.byteLength(frame([...values, '']));
  const last = rest < 0 ? '' : filler.repeat(Math.floor(rest / Buffer.byteLength(filler)));
  const body = frame(rest < 0 ? values : [...values, last]);
  return body + ' '.repeat(bytes - Buffer.byteLength(body));
}

interface Sending {
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: Record<string, string>;
  source?: SourceCredentials;
  method?: string;
  query?: string;
}

/** Sends a request whose parts can all be replaced. An empty header value omits the header. */
export async function send(
  endpoint: string,
  { body = text, headers = {}, source = local().source, method = 'POST', query = '' }: Sending = {},
): Promise<HttpAnswer> {
  const allHeaders = { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json', ...headers };
  const sent = Object.entries(allHeaders).filter(([, value]) => value !== '');
  const response = await fetch(
    `${local().gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/${endpoint}${query}`,
    { method, headers: sent, ...(method === 'POST' && { body, duplex: 'half' }) },
  );
  const answer = await response.text();
  return { status: response.status, headers: response.headers, body: answer === '' ? undefined : JSON.parse(answer) };
}

/** Checks the headers that every answer of the gateway has. */
export function expectFixedHeaders(headers: Record<string, string>): void {
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ) as string,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-Request-Id, Retry-After, Preference-Applied, Date',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': expect.any(String) as string,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
  expect(headers).not.toHaveProperty('set-cookie');
  expect(headers).not.toHaveProperty('x-powered-by');
}
