import { randomUUID } from 'node:crypto';
import { type LetterDetail, type LetterList, type EditCheck, type ReplayResult } from '@sluice/console-api';
import { trackTopic } from '@sluice/contracts';
import { ConsolePerson } from '@sluice/testing';
import { expect, it } from 'vitest';
import { local, operator, select } from '../stack.js';
import { aRequestId, sendPastGateway } from './past-the-gateway.js';

const waitMs = { timeout: 60_000, interval: 250 };

interface Answer<Body> {
  status: number;
  body: Body;
}

/** Signs in as a new user. Returns a function that sends requests as that user. */
async function signIn(...options: string[]) {
  const name = `edit-${randomUUID().slice(0, 8)}`;
  const { link } = await operator<{ link: string }>('console', 'invite', name, ...options);
  const person = await ConsolePerson.enter(local(), link);
  return async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer<T>> => {
    const answer = await person.send(method, path, { body });
    return { status: answer.status, body: (await answer.json()) as T };
  };
}

it('edits a dead letter: checked by its table, sent back once, stored, and written down', async () => {
  const { sourceIdentifier: source_id } = local().source;
  const origin = { source_id, request_id: aRequestId(), received_at: new Date().toISOString() };
  const row = { ...origin, message_id: randomUUID(), user_id: 'u-1', anonymous_id: undefined, context: undefined };
  const bad = { ...row, event: 'edited', properties: { total: 49.9 }, timestamp: 'yesterday' };
  const { source_id: key, request_id: requestId } = bad;
  await sendPastGateway(local(), [{ key, value: JSON.stringify(bad), requestId }]);
  const ask = await signIn('--role', 'editor', '--payloads');
  const masked = await signIn('--role', 'editor');
  const letterOf = async (): Promise<string> => {
    const { letters } = (await ask<LetterList>('GET', `/api/dead-letters?topic=${trackTopic.name}&limit=50`)).body;
    for (const { id } of letters) {
      const { body } = await ask<LetterDetail>('GET', `/api/dead-letters/${encodeURIComponent(id)}`);
      if (body.requestId === row.request_id) return `/api/dead-letters/${encodeURIComponent(id)}`;
    }
    return '';
  };
  await expect.poll(letterOf, waitMs).not.toBe('');
  const path = await letterOf();
  const edited = { value: JSON.stringify({ ...bad, timestamp: origin.received_at }, null, 2) };

  expect((await masked('POST', `${path}/edit`, edited)).status).toBe(403);
  const other = { value: JSON.stringify({ ...bad, message_id: randomUUID() }) };
  expect((await ask('POST', `${path}/check`, other)).status).toBe(400);
  const refused = await ask<EditCheck>('POST', `${path}/check`, { value: JSON.stringify({ ...bad, event: 'e' }) });
  expect(refused.body).toMatchObject({ isReadable: false, changed: ['event'], isStored: false, table: 'events' });
  expect((await ask('POST', `${path}/edit`, { value: JSON.stringify(bad) })).status).toBe(400);
  const taken = await ask<EditCheck>('POST', `${path}/check`, edited);
  expect(taken.body).toMatchObject({ isReadable: true, problems: [], changed: ['timestamp'] });

  const sent = await ask<ReplayResult>('POST', `${path}/edit`, edited);
  expect(sent.body).toMatchObject({ replayed: [{ replayed: { isEdited: true } }], notReplayed: [], error: null });
  expect((await ask('POST', `${path}/edit`, edited)).status).toBe(409);

  const statesOf = async (): Promise<string[]> =>
    (await ask<LetterDetail>('GET', path)).body.now.map(({ state }) => state).toSorted();
  await expect.poll(statesOf, waitMs).toEqual(['dead-lettered', 'stored']);
  const rows = await select<{ event: string }>('SELECT event FROM events WHERE message_id = {id:UUID}', {
    id: row.message_id,
  });
  expect(rows).toEqual([{ event: 'edited' }]);
  expect((await ask('POST', `${path}/edit`, { ...edited, isAgain: true })).status).toBe(409);

  const actions = `SELECT outcome, details FROM operator_actions WHERE operation = 'dead-letters.edit' AND object = {object:String} ORDER BY received_at`;
  const object = decodeURIComponent(path.slice('/api/dead-letters/'.length));
  const details = '{"changed":["timestamp"]}';
  await expect
    .poll(() => select(actions, { object }), waitMs)
    .toEqual([
      { outcome: 'intended', details },
      { outcome: 'done', details },
    ]);
});
