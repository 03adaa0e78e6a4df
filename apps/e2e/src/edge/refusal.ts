import { expect } from 'vitest';
import { type Answer, local, type SourceCredentials } from '../stack.js';

/** The body of a refusal that is about no field. */
export const refusal = (message: string) => [{ field: '', message }];

export const authorizationFailed = refusal('error.sdk.authorization.failed');
export const sourceNotFound = refusal('error.sdk.source.notFound');
export const tooLarge = refusal('error.request.tooLarge');
export const malformed = refusal('error.request.malformed');
export const unsupportedMediaType = refusal('error.request.unsupportedMediaType');

export const event = { userId: 'u', event: 'e' };
export const text = JSON.stringify(event);

/** A body of exactly so many bytes, one event whose last trait of text has `filler` in it. */
export function eventOfBytes(bytes: number, filler = 'x'): string {
  const frame = (values: string[]): string => JSON.stringify({ ...event, properties: { values } });
  const values: string[] = [];
  // Texts of at most 4,000 bytes: none of them is out of range.
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

/** A request of which everything can be otherwise; an empty header is left out. */
export async function send(
  endpoint: string,
  { body = text, headers = {}, source = local().source, method = 'POST', query = '' }: Sending = {},
): Promise<Answer> {
  const all = { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json', ...headers };
  const sent = Object.entries(all).filter(([, value]) => value !== '');
  const response = await fetch(
    `${local().gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/${endpoint}${query}`,
    { method, headers: sent, ...(method === 'POST' && { body, duplex: 'half' }) },
  );
  const answer = await response.text();
  return { status: response.status, headers: response.headers, body: answer === '' ? undefined : JSON.parse(answer) };
}

/** Holds for every answer of the gateway. */
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
