import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, signalGroup } from '@sluice/testing';
import { type EventsLedger } from '../events-ledger.js';
import { type FaultClass } from '../thousand/fault-class.js';
import { type Random } from '@sluice/testing';
import { type Stage } from '../thousand/stage.js';
import { untilFelt } from '../thousand/until.js';

/** Faults of Kafka and ClickHouse themselves, and faults of all services. */
const scope = 'everything' as const;
const aboutBrokers = { scope, takes: ['brokers'] } as const;
const aboutClickHouse = { scope, takes: ['clickhouse'] } as const;
const brokers = 3;
const offsetsTopic = '__consumer_offsets';
/** Time for a restarted broker to catch up. If a second broker fails before, Kafka accepts nothing. */
const inSyncMs = 3_000;

async function pausedBroker({ servers }: Stage, index: number, ms: number): Promise<void> {
  const { pid } = servers.broker(index);
  signalGroup(pid, 'SIGSTOP');
  await sleep(ms);
  signalGroup(pid, 'SIGCONT');
  await sleep(inSyncMs);
}

/** Index of a group's coordinator: the leader of the partition that Java's hash of its name selects. */
async function findCoordinator({ cluster }: Stage, group: string): Promise<number> {
  let hash = 0;
  for (const character of group) hash = (Math.imul(31, hash) + character.charCodeAt(0)) | 0;
  return cluster.asAdmin(async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [offsetsTopic] });
    const partitions = topics[0]?.partitions ?? [];
    const groupPartition = (hash & 0x7fffffff) % partitions.length;
    return (partitions.find(({ partitionId }) => partitionId === groupPartition)?.leader ?? 1) - 1;
  });
}

const roomForInsertsKb = 8_192;
const noDisk = 'only root can mount a disk to fill up';

async function noMerges(ledger: EventsLedger): Promise<void> {
  const [row] = await ledger.select<{ n: string }>('SELECT count() AS n FROM system.merges');
  if (Number(row?.n) > 0) throw new Error('ClickHouse still merges');
}

/**
 * ClickHouse refuses INSERTs when less than a megabyte is free. INSERTs under way get room to end: the embedded build
 * ignores failed writes, and would acknowledge an INSERT whose files are empty. So no merge may run either.
 */
async function fullClickHouse(
  { ledger, mounts, clickhouseDisk: { folder, size } }: Stage,
  random: Random,
): Promise<void> {
  await eventually(() => ledger.command('SYSTEM STOP MERGES'));
  await eventually(() => noMerges(ledger));
  await mounts.fill(folder, roomForInsertsKb);
  const minFree = await mounts.minFree(folder, random.between(2_000, 5_000));
  await eventually(() => mounts.resize(folder, size));
  await eventually(() => ledger.command('SYSTEM START MERGES'));
  if (minFree === 0) throw new Error('the disk of ClickHouse was filled to its last byte; its rows cannot be trusted');
}

async function fullKafka({ servers, mounts, kafkaDisk: { folder, size, broker } }: Stage): Promise<void> {
  await mounts.fill(folder);
  // A broker that cannot write to its disk exits by itself.
  await Promise.race([servers.broker(broker).ended, sleep(10_000)]);
  await eventually(() => mounts.resize(folder, size));
  await servers.broker(broker).stop(0);
  await servers.restartBroker(broker);
  await sleep(inSyncMs);
}

export const serverClasses: readonly FaultClass[] = [
  {
    ...aboutBrokers,
    name: 'a broker killed',
    weight: 1,
    maxCount: 12,
    inject: async ({ servers }, random) => {
      const index = random.below(brokers);
      await servers.broker(index).stop(0);
      await sleep(random.between(0, 4_000));
      await servers.restartBroker(index);
      await sleep(inSyncMs);
    },
  },
  {
    ...aboutBrokers,
    name: 'a broker paused',
    weight: 3,
    maxCount: 25,
    inject: (stage, random) => pausedBroker(stage, random.below(brokers), random.between(500, 6_000)),
  },
  {
    ...aboutBrokers,
    name: 'the coordinator paused',
    weight: 2,
    maxCount: 10,
    inject: async (stage, random) =>
      pausedBroker(stage, await findCoordinator(stage, 'tracking'), random.between(2_000, 6_000)),
  },
  {
    ...aboutBrokers,
    name: 'no coordinator accepts a commit',
    weight: 8,
    inject: (stage, random) =>
      stage.cluster.with(offsetsTopic, 'max.message.bytes', '10', async () => {
        await untilFelt(stage, 'commit');
        await sleep(random.between(500, 3_000));
      }),
  },
  {
    ...aboutBrokers,
    name: 'the disk of a broker full',
    weight: 1,
    maxCount: 4,
    unable: ({ mounts, kafkaDisk }) => (mounts.has(kafkaDisk.folder) ? undefined : noDisk),
    inject: fullKafka,
  },
  {
    ...aboutClickHouse,
    name: 'ClickHouse killed',
    weight: 10,
    inject: async ({ servers }, random) => {
      await servers.clickhouseProcess.stop(0);
      await sleep(random.between(0, 2_000));
      await servers.restartClickHouse();
    },
  },
  {
    ...aboutClickHouse,
    name: 'ClickHouse paused',
    weight: 14,
    inject: async ({ servers }, random) => {
      signalGroup(servers.clickhouseProcess.pid, 'SIGSTOP');
      await sleep(random.between(100, 3_000));
      signalGroup(servers.clickhouseProcess.pid, 'SIGCONT');
    },
  },
  {
    ...aboutClickHouse,
    name: 'the disk of ClickHouse full',
    weight: 7,
    unable: ({ mounts, clickhouseDisk }) => (mounts.has(clickhouseDisk.folder) ? undefined : noDisk),
    inject: fullClickHouse,
  },
  {
    scope,
    takes: [],
    name: 'connections of all services reset',
    weight: 20,
    inject: async ({ proxies }, random) => {
      await sleep(random.between(0, 300));
      for (const proxy of proxies) proxy.reset();
    },
  },
  {
    scope,
    takes: ['consumers'],
    name: 'services killed',
    weight: 6,
    inject: (stage, random) => random.pick([stage.tracking, stage.catalog, stage.push]).replace(0),
  },
];
