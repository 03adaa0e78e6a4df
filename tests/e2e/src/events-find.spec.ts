import { randomUUID } from 'node:crypto';
import { eventually, runOperator } from '@sluice/testing';
import { expect, inject, it } from 'vitest';
import { aNotification } from './notification.js';
import { operator, post, select } from './stack.js';

interface Found {
  events: { topic: string; state: string; table: string; partition: number; offset: string; messageId?: string }[];
}

it('operator events find shows where each message of a request is stored', async () => {
  const { token } = await aNotification({});
  const [trackMessage, ofPush] = [
    { event: 'page_view' },
    { event: 'bb_notification_clicked', properties: { id: token } },
  ];
  const userId = `u-${randomUUID().slice(0, 8)}`;
  const answer = await post('trackBatch', { list: [trackMessage, ofPush].map((message) => ({ userId, ...message })) });
  const requestId = String(answer.headers.get('x-request-id'));

  await eventually(async () => {
    const { events } = await operator<Found>('events', 'find', requestId);
    const states = events.map(({ topic, state, table }) => [topic, state, table]);
    expect(states).toEqual([
      ['push.interaction.v1', 'stored', 'push_interactions'],
      ['tracking.track.v1', 'stored', 'events'],
      ['tracking.track.v1', 'stored', 'events'],
    ]);
    const rows = await select<Record<string, string>>(
      `SELECT toString(message_id) AS messageId, toString(kafka_offset) AS offset FROM events
         WHERE user_id = {userId:String} ORDER BY kafka_offset`,
      { userId },
    );
    expect(events.slice(1).map(({ messageId, offset }) => ({ messageId, offset }))).toEqual(rows);
  });
});

it('for an unknown id it says where it searched and exits with 1', async () => {
  const settings = { SLUICE_DATA_DIR: inject('dataDir') };
  const search = runOperator(['events', 'find', '01999999-9999-7999-8999-999999999999'], settings);
  await expect(search).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Searched: Kafka') as string,
  });
});
