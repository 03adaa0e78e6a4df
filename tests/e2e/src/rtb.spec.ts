import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type HttpAnswer, local, select } from './stack.js';

async function ask(endpoint: string, body: string | object, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const response = await fetch(`${local().gateway.url}/api/rtb/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const readRows = (answer: HttpAnswer) =>
  eventually(async () => {
    const id = answer.headers.get('x-request-id');
    const rows = await select('SELECT * FROM ad_requests WHERE request_id = {id:UUID}', { id });
    expect(rows).toHaveLength(1);
    return rows;
  });

it('any JSON object is recorded and answered without an ad', async () => {
  const { sourceIdentifier } = local().source;
  const body = { sourceIdentifier, imp: [{ id: '1', banner: { w: 300 } }], 'any name': 'Jan 5 2024' };
  const ours = await ask('sponsoredAd', body);
  const nobodys = await ask('ad', {});

  expect([ours.status, ours.body, nobodys.status]).toEqual([204, undefined, 204]);
  expect(await readRows(ours)).toMatchObject([{ source_id: sourceIdentifier, endpoint: 'sponsoredAd', body }]);
  expect(await readRows(nobodys)).toMatchObject([{ source_id: '', endpoint: 'ad', body: {} }]);
});

it('a repeat with the same Idempotency-Key is recorded once', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { sourceIdentifier: local().source.sourceIdentifier, note: headers['idempotency-key'] };
  for (let i = 0; i < 3; i++) expect((await ask('ad', body, headers)).status).toBe(204);
  const query = 'SELECT message_id FROM ad_requests WHERE toString(body.note) = {note:String}';
  await eventually(async () => {
    expect(await select(query, body)).toHaveLength(1);
  });
  // Ad requests of a source share one partition, so when a later one is stored, all earlier ones are too.
  await readRows(await ask('ad', body, { 'idempotency-key': randomUUID() }));
  expect(await select(query, body)).toHaveLength(2);
});

it.each([[[]], ['"text"'], ['7'], ['null']])('answers %j, which is not an object, with 400', async (body) => {
  const { status, body: problems } = await ask('ad', body);
  expect([status, problems]).toEqual([400, [{ field: '', message: 'must be an object' }]]);
});

it.each(['unknown00000', 'short', 5, {}])('answers the unknown source %j with 404', async (sourceIdentifier) => {
  const { status, body } = await ask('ad', { sourceIdentifier });
  expect([status, body]).toEqual([404, [{ field: '', message: 'error.sdk.source.notFound' }]]);
});

it('enforces the limits of size, media type and method', async () => {
  const makeBody = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  expect((await ask('ad', makeBody(65_536))).status).toBe(204);
  expect((await ask('ad', makeBody(65_537))).status).toBe(413);
  expect((await ask('ad', '{"a":')).status).toBe(400);
  expect((await ask('ad', '{}', { 'content-type': 'text/plain' })).status).toBe(415);
  const get = await fetch(`${local().gateway.url}/api/rtb/ad`);
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
});
