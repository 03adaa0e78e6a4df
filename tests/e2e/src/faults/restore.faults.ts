import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { trackTopic } from '@sluice/contracts';
import { createKafka } from '@sluice/kafka';
import { eventually, type ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsumerOptions, startTracking } from './consumer-process.js';
import { EventsLedger } from './events-ledger.js';
import { StreamLoad } from '../load/stream-load.js';
import { requireStream } from './thousand/stream.js';
import { FaultServers } from './servers.js';

// Follows the instructions for backup and restore in docs/upgrades.md.

const database = 'sluice';
const track = requireStream('track');
let servers: FaultServers;
let client: ClickHouseClient;
let ledger: EventsLedger;
let options: ConsumerOptions;
let tracking: ServerProcess | undefined;

beforeAll(async () => {
  servers = await FaultServers.start();
  const clickhouseUrl = `http://127.0.0.1:${servers.clickhousePort}`;
  options = { brokers: servers.brokers, clickhouseUrl, database, folder: servers.folder, replicationFactor: 3 };
  client = createClient({ url: clickhouseUrl });
  await client.command({ query: `CREATE DATABASE ${database}` });
  ledger = new EventsLedger(clickhouseUrl, database);
  await ledger.prepare();
});
afterAll(async () => {
  await tracking?.stop(0);
  await Promise.all([client.close(), ledger.close()]);
  await servers.stop();
});

/** Sets the group's offsets back to a time. The group must have no members. */
async function setBack(since: number): Promise<void> {
  const admin = createKafka({ KAFKA_BROKERS: [...servers.brokers] }, 'restore').admin();
  await admin.connect();
  const partitions = await admin.fetchTopicOffsetsByTimestamp(trackTopic.name, since);
  await admin.setOffsets({ groupId: 'tracking', topic: trackTopic.name, partitions });
  await admin.disconnect();
}

it('a restored database has every message once after the offsets are set back', async () => {
  tracking = await startTracking(options);
  const load = new StreamLoad(servers.brokers, [track]);
  await load.start();
  load.resume(2);
  const isStored = (rows: number) => async () => {
    expect(await ledger.count()).toBeGreaterThanOrEqual(rows);
  };
  await eventually(isStored(2_000));
  const backupAt = Date.now();
  await client.command({ query: `BACKUP DATABASE ${database} TO File('nightly')` });
  const before = load.acknowledgedCount(track);
  await eventually(isStored(before + 2_000));
  await load.stop();
  await eventually(isStored(load.acknowledgedCount(track)));

  await tracking.stop();
  await client.command({ query: `DROP DATABASE ${database} SYNC` });
  await client.command({ query: `RESTORE DATABASE ${database} FROM File('nightly')` });
  expect((await ledger.balance(load.ids(track))).lost).toBeGreaterThan(1_000);
  // Two seconds earlier, to cover messages in flight when the backup began.
  await setBack(backupAt - 2_000);
  tracking = await startTracking(options);

  await eventually(isStored(load.acknowledgedCount(track)));
  const sent = load.acknowledgedCount(track);
  const balance = { sent, stored: sent, unique: sent, lost: 0, doubled: 0 };
  expect(await ledger.balance(load.ids(track))).toEqual(balance);
}, 300_000);
