import { randomUUID } from 'node:crypto';
import { eventually } from '@sluice/testing';
import { beforeAll, expect, it } from 'vitest';
import { createSegmentSource, postSegment, type SegmentSource } from '../segment/write-key.js';
import { operator, post, select } from '../stack.js';

// Ids that stand for a missing one, on each path that takes messages; and links that an operator forgets.

const zeros = '00000000-0000-0000-0000-000000000000';
const message = 'a placeholder, which links nobody';
let source: SegmentSource;

beforeAll(async () => {
  source = await createSegmentSource();
});

const makeProblems = (...fields: string[]): object[] => fields.map((field) => ({ field, message }));
const timeAtMinute = (minute: number): string => `2026-03-10T10:${String(minute).padStart(2, '0')}:00.000Z`;

async function untilStored(table: 'events' | 'identifies', count: number): Promise<void> {
  await eventually(async () =>
    expect(
      await select(`SELECT count() AS rows FROM ${table} FINAL WHERE source_id = {source:String}`, {
        source: source.sourceIdentifier,
      }),
    ).toEqual([{ rows: count }]),
  );
}
const persons = (event: string): Promise<object[]> =>
  select(
    `SELECT person_id, toUInt32(count()) AS events FROM events_resolved(source = {source:String})
     WHERE event = {event:String} GROUP BY person_id ORDER BY person_id`,
    { source: source.sourceIdentifier, event },
  );

it('names placeholders in the answer of every path, stores them, and links nobody by them', async () => {
  const traits = { plan: 'free' };
  const single = await post('identify', { userId: 'undefined', anonymousId: 'a-1', traits }, { source });
  expect(single).toMatchObject({ status: 200, body: { status: 'QUEUED', dropped: makeProblems('userId') } });
  const list = [{ userId: 'u-9', anonymousId: zeros }, { userId: 'u-8', anonymousId: 'a-8' }, { userId: 'NaN' }];
  const batch = await post('identifyBatch', { list }, { source });
  expect(batch.body).toMatchObject({ dropped: makeProblems('list[0].anonymousId', 'list[2].userId') });
  const track = await post('track', { anonymousId: 'null', event: 'seen' }, { source });
  expect(track.body).toMatchObject({ dropped: makeProblems('anonymousId') });
  const calls = [
    { type: 'identify', userId: 0, anonymousId: 'a-2', traits },
    { type: 'identify', userId: '[object Object]', anonymousId: 'a-3', traits },
    { type: 'alias', userId: 'u-7', previousId: 'None' },
    { type: 'alias', userId: 'guest', previousId: 'a-4' },
  ];
  const segment = await postSegment('batch', { batch: calls }, { source });
  const fields = ['batch[0].userId', 'batch[1].userId', 'batch[2].anonymousId', 'batch[3].userId'];
  expect(segment.body).toMatchObject({ success: true, dropped: makeProblems(...fields) });

  await untilStored('identifies', 8);
  const links = 'SELECT anonymous_id, user_id FROM identity_links WHERE source_id = {source:String}';
  expect(await select(links, { source: source.sourceIdentifier })).toEqual([{ anonymous_id: 'a-8', user_id: 'u-8' }]);
});

it('keeps visitors apart whose page identified them as undefined before they signed in', async () => {
  for (let visitor = 0; visitor < 3; visitor++) {
    const anonymousId = `v-${visitor}`;
    const [event, userId] = ['visit', `real-${visitor}`];
    await post('track', { anonymousId, event, timestamp: timeAtMinute(visitor) }, { source });
    await post('identify', { userId: 'undefined', anonymousId, timestamp: timeAtMinute(10 + visitor) }, { source });
    await post('identify', { userId, anonymousId, timestamp: timeAtMinute(20 + visitor) }, { source });
    await post('track', { userId, event, timestamp: timeAtMinute(30 + visitor) }, { source });
  }
  await untilStored('events', 7);
  await untilStored('identifies', 14);
  expect(await persons('visit')).toEqual([0, 1, 2].map((visitor) => ({ person_id: `real-${visitor}`, events: 2 })));
});

it('forgets the links of an id that strangers shared, until a later identify', async () => {
  const shared = `kiosk-${randomUUID().slice(0, 8)}`;
  const { sourceIdentifier } = source;
  for (const anonymousId of ['k-1', 'k-2']) {
    await post('track', { anonymousId, event: 'kiosk' }, { source });
    await post('identify', { userId: shared, anonymousId }, { source });
  }
  await untilStored('identifies', 16);
  await eventually(async () => expect(await persons('kiosk')).toEqual([{ person_id: shared, events: 2 }]));

  const forget = ['privacy', 'forget-links', '--source', sourceIdentifier, '--user', shared, '--by', 'ticket-1'];
  const refusal = await operator(...forget).catch((error: unknown) => error as { stdout: string });
  const preview = { sources: [sourceIdentifier], links: 2, moved: 0, isDone: false };
  expect(JSON.parse((refusal as { stdout: string }).stdout)).toEqual(preview);
  expect(await persons('kiosk')).toEqual([{ person_id: shared, events: 2 }]);

  expect(await operator(...forget, '--yes')).toEqual({ ...preview, isDone: true });
  const apart = ['k-1', 'k-2'].map((person_id) => ({ person_id, events: 1 }));
  expect(await persons('kiosk')).toEqual(apart);
  await eventually(async () => {
    const actions = await select<{ details: string }>(
      `SELECT details FROM operator_actions WHERE operation = 'privacy.forget-links' AND object = {source:String} AND outcome = 'done'`,
      { source: sourceIdentifier },
    );
    expect(actions).toHaveLength(1);
    expect(actions[0]?.details).toContain('ticket-1');
    expect(actions[0]?.details).not.toContain(shared);
  });

  await post('identify', { userId: shared, anonymousId: 'k-2' }, { source });
  await eventually(async () =>
    expect(await persons('kiosk')).toEqual([
      { person_id: 'k-1', events: 1 },
      { person_id: shared, events: 1 },
    ]),
  );
});
