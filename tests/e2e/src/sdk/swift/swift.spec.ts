import { eventually } from '@sluice/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { aNotification } from '../../notification.js';
import { local, operator, select, type SourceCredentials } from '../../stack.js';
import { hasSwift, runSwift, SwiftDevice } from '@sluice/sdk-faults';

describe.skipIf(!hasSwift())('the Swift SDK and the service', () => {
  let folder: string;
  let source: SourceCredentials;

  beforeAll(async () => {
    await runSwift('build', '--product', 'sluice-device', '-j', '1', '-Xswiftc', '-warnings-as-errors');
    folder = await mkdtemp(join(tmpdir(), 'sluice-swift-'));
    source = await operator<SourceCredentials>('sources', 'create', '--name', 'Swift', '--type', 'ios-sdk');
    await eventually(async () => {
      const url = `${local().gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/track?validate=only`;
      const headers = { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json' };
      expect((await fetch(url, { method: 'POST', headers, body: '{"userId":"u","event":"e"}' })).status).toBe(200);
    });
    return () => rm(folder, { recursive: true, force: true });
  }, 600_000);

  const device = (command: string, name: string, argument = '') =>
    new SwiftDevice(command, join(folder, name), local().gateway.url, source, argument).all();

  const untilRows = (query: string, count: number) =>
    eventually(async () => {
      const rows = await select(query, { source: source.sourceIdentifier });
      expect(rows).toHaveLength(count);
      return rows;
    });

  it('an event, a user and a registration become rows', async () => {
    const lines = await device('first', 'first');
    expect(lines).toContain('left 0');
    const deviceId = lines.find((line) => line.startsWith('device '))?.split(' ')[1];
    const events = await untilRows(
      `SELECT event, user_id, toString(properties.total) AS total, context.sdk.name.:String AS sdk,
         context.sdk.device.:String AS device
       FROM events WHERE source_id = {source:String} AND event = 'order_completed'`,
      1,
    );
    expect(events).toMatchObject([{ total: '49.9', sdk: 'sluice-ios', device: deviceId }]);
    await untilRows("SELECT user_id FROM identifies WHERE source_id = {source:String} AND user_id = 'u-swift'", 1);
    const registered = await untilRows(
      'SELECT device_id, sdk FROM current_push_devices WHERE source_id = {source:String}',
      1,
    );
    expect(registered).toMatchObject([{ device_id: deviceId, sdk: 'IOS' }]);
  });

  it('each interaction is one row of its event and its callback', async () => {
    const { token, notificationId } = await aNotification({ source: source.sourceIdentifier });
    const lines = await device(
      'push',
      'push',
      JSON.stringify({
        source: 'sluice-push',
        id: token,
        title: 'Hello',
        actions: JSON.stringify([{ title: 'One' }, { title: 'Two', action: 'https://shop.test/2' }]),
        customData: '{"coupon":"SPRING"}',
      }),
    );
    expect(lines).toEqual(expect.arrayContaining(['left 0', 'custom SPRING']));
    const rows = await eventually(async () => {
      const interactions = await select<{ interaction: string; reported_by: string[] }>(
        'SELECT * FROM current_push_interactions WHERE notification_id = {id:String} ORDER BY interaction',
        { id: notificationId },
      );
      expect(interactions.map(({ reported_by }) => [...reported_by].sort())).toEqual(
        Array.from({ length: 4 }, () => ['callback', 'event']),
      );
      return interactions;
    });
    expect(rows).toMatchObject([
      { interaction: 'clicked', url: 'https://shop.test/2', action_id: '2' },
      { interaction: 'closed' },
      { interaction: 'delivered' },
      { interaction: 'failed', reason: 'UNErrorDomain 1' },
    ]);
  });

  it('two processes on one folder, like an app and its extension, store each message once', async () => {
    const lines = await Promise.all(['a', 'b'].map(() => device('first', 'shared')));
    expect(lines.map((some) => some.includes('left 0'))).toEqual([true, true]);
    const device1 = lines[0]?.find((line) => line.startsWith('device '));
    expect(lines[1]).toContain(device1);
    await untilRows(
      `SELECT 1 FROM events WHERE source_id = {source:String} AND event = 'order_completed'
         AND context.sdk.device.:String = '${device1?.split(' ')[1] ?? ''}'`,
      2,
    );
  });
});
