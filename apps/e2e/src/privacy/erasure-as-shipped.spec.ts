import { randomUUID } from 'node:crypto';
import { eventually } from '@sluice/testing';
import { expect, it } from 'vitest';
import { operator, post, select, type SourceCredentials } from '../stack.js';

interface ErasureReport {
  request: string;
  state: string;
  problem: string | null;
}

/** Seconds of `privacy run`; it ends with 1 then, because ClickHouse keeps replaced parts for eight minutes. */
const runSeconds = 45;

// The commands of docs/operations.md#erasing-a-person, as `npm start` is shipped: no test names a process here.
it('an erasure waits for no process of npm start, and begins the deletion', async () => {
  const source = await operator<SourceCredentials>('sources', 'create', '--name', 'Erasure', '--type', 'tracking-api');
  const userId = randomUUID();
  await eventually(async () => expect((await post('track', { userId, event: 'e' }, { source })).status).toBe(200));
  const query = 'SELECT count() AS n FROM events WHERE user_id = {userId:String}';
  await eventually(async () => expect(await select(query, { userId })).not.toEqual([{ n: 0 }]));
  const person = ['--source', source.sourceIdentifier, '--user', userId, '--by', 'ticket-1'];

  const { erasures } = await operator<{ erasures: ErasureReport[] }>('privacy', 'erase', ...person, '--yes');
  await operator('privacy', 'run', '--for-at-most', String(runSeconds)).catch(() => undefined);

  const [erasure] = await operator<ErasureReport[]>('privacy', 'status', erasures[0]?.request ?? '');
  expect(erasure).toMatchObject({ state: 'deleting' });
  expect(erasure?.problem ?? '').not.toContain('suppress');
  await eventually(async () => expect(await select(query, { userId })).toEqual([{ n: 0 }]));
});
