import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { type Local, runOperator } from '@sluice/testing';
import { inject } from 'vitest';

export interface SourceCredentials {
  sourceIdentifier: string;
  apiKey: string;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

export const local = (): Local => JSON.parse(readFileSync(join(inject('dataDir'), 'local.json'), 'utf8')) as Local;

interface PostOptions {
  /** Address of another gateway than the stack's. */
  gateway?: string;
  source?: SourceCredentials;
  headers?: Record<string, string>;
}

/** POSTs to the Tracking API as the source; a string body is sent unchanged. */
export const post = (endpoint: string, body: unknown, options?: PostOptions): Promise<HttpAnswer> =>
  postTo('sdk', endpoint, body, options);

/** POSTs to the Sync API as the source; a string body is sent unchanged. */
export const sync = (endpoint: string, body: unknown, options?: PostOptions): Promise<HttpAnswer> =>
  postTo('catalog', endpoint, body, options);

async function postTo(
  api: 'sdk' | 'catalog',
  endpoint: string,
  body: unknown,
  { gateway = local().gateway.url, source = local().source, headers = {} }: PostOptions = {},
): Promise<HttpAnswer> {
  const response = await fetch(`${gateway}/api/tracker/${api}/${source.sourceIdentifier}/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${source.apiKey}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Rows of a query; `{name:String}` is a placeholder for a parameter. */
export async function select<Row = Record<string, unknown>>(
  query: string,
  params: Record<string, unknown> = {},
): Promise<Row[]> {
  const { url, database } = local().clickhouse;
  const client = createClient({ url, database });
  try {
    const result = await client.query({ query, query_params: params, format: 'JSONEachRow' });
    return await result.json<Row>();
  } finally {
    await client.close();
  }
}

/** Runs the operator CLI against the stack and returns its parsed JSON output. */
export async function operator<T>(...args: string[]): Promise<T> {
  const { stdout } = await runOperator([...args, '--json'], { SLUICE_DATA_DIR: inject('dataDir') });
  return JSON.parse(stdout) as T;
}
