import { eventually } from '@sluice/testing';
import { expect } from 'vitest';
import { type HttpAnswer, local, operator, type SourceCredentials } from '../stack.js';

/** A source that takes clients of Segment. */
export interface SegmentSource extends SourceCredentials {
  writeKey: string;
}

/** Creates the source, and waits until the stack's gateway knows it. */
export async function createSegmentSource(type = 'tracking-api'): Promise<SegmentSource> {
  const created = await operator<SourceCredentials>(
    ...['sources', 'create', '--name', 'Segment', '--type', type, '--segment'],
  );
  const source = { ...created, writeKey: `${created.sourceIdentifier}_${created.apiKey}` };
  await eventually(async () => {
    expect((await postSegment('batch?validate=only', { batch: [] }, { source })).status).toBe(200);
  });
  return source;
}

/** The `Authorization` with which clients of Segment send a write key. */
export const basicAuthorization = ({ writeKey }: Pick<SegmentSource, 'writeKey'>): string =>
  `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`;

interface SegmentPost {
  source: SegmentSource;
  gateway?: string;
  headers?: Record<string, string>;
  /** True when the key is in the path, not in `Authorization`. */
  inPath?: boolean;
}

/** POSTs as clients of Segment do; a string or bytes are sent unchanged. */
export async function postSegment(
  endpoint: string,
  body: unknown,
  { source, gateway = local().gateway.url, headers = {}, inPath = false }: SegmentPost,
): Promise<HttpAnswer> {
  const path = inPath ? `/s/${source.writeKey}/v1/${endpoint}` : `/v1/${endpoint}`;
  const authorization = basicAuthorization(source);
  const response = await fetch(gateway + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(inPath ? {} : { authorization }), ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
