import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterSettings } from '../thousand/cluster-settings.js';
import { type FaultClass } from '../thousand/fault-class.js';
import { keepDoing } from '../thousand/keep-doing.js';
import { type Stage } from '../thousand/stage.js';
import { streamOf } from '../thousand/stream.js';

/** Acknowledged messages that are destroyed before they are stored. The load is paused, and all was stored before. */
const aboutBytes = { scope: 'stored bytes', takes: ['consumers', 'topic'] } as const;
const stream = streamOf('identify');
const topic = stream.topic.name;
const messages = 3_000;
const lostMetric = 'sluice_consumer_lost_offsets_total';

/** Retention deletes the first half of the unread messages of each partition. */
async function retentionPasses({ cluster }: Stage): Promise<number> {
  return cluster.asAdmin(async (admin) => {
    const [committed] = await admin.fetchOffsets({ groupId: stream.group, topics: [topic] });
    const ends = await admin.fetchTopicOffsets(topic);
    let deleted = 0;
    const partitions = ends.map(({ partition, low, high }) => {
      const from = Math.max(
        Number(low),
        Number(committed?.partitions.find((one) => one.partition === partition)?.offset),
      );
      const to = from + Math.floor((Number(high) - from) / 2);
      deleted += to - from;
      return { partition, offset: String(to) };
    });
    await admin.deleteTopicRecords({ topic, partitions });
    return deleted;
  });
}

const lost = ({ tracking }: Stage) => tracking.metric(lostMetric);

export const storedBytesClasses: readonly FaultClass[] = [
  {
    ...aboutBytes,
    name: 'retention passes stopped consumers',
    weight: 2,
    harm: async (stage) => {
      const { tracking, load } = stage;
      const count = tracking.count;
      await tracking.stopAll();
      await load.send(stream, messages);
      await keepDoing(() => retentionPasses(stage));
      for (let n = 0; n < count; n++) await tracking.add();
      stage.reportMissing(stream, await settledCount(() => lost(stage)));
    },
  },
  {
    ...aboutBytes,
    name: 'retention passes paused consumers',
    weight: 2,
    harm: async (stage) => {
      const { tracking, load } = stage;
      const before = await lost(stage);
      for (let n = 0; n < tracking.count; n++) tracking.signal(n, 'SIGSTOP');
      await load.send(stream, messages);
      await keepDoing(() => retentionPasses(stage));
      for (let n = 0; n < tracking.count; n++) tracking.signal(n, 'SIGCONT');
      stage.reportMissing(stream, (await settledCount(() => lost(stage))) - before);
    },
  },
  {
    ...aboutBytes,
    name: 'a topic made anew',
    weight: 1,
    harm: async ({ cluster, load }) => {
      await madeAnew(cluster);
      await load.send(stream, messages);
    },
  },
  {
    ...aboutBytes,
    name: 'a topic made anew before paused consumers read it',
    weight: 1,
    harm: async (stage) => {
      const { tracking, load, cluster } = stage;
      const before = await lost(stage);
      for (let n = 0; n < tracking.count; n++) tracking.signal(n, 'SIGSTOP');
      await load.send(stream, messages);
      await madeAnew(cluster);
      for (let n = 0; n < tracking.count; n++) tracking.signal(n, 'SIGCONT');
      await load.send(stream, messages);
      stage.reportMissing(stream, (await settledCount(() => lost(stage))) - before);
    },
  },
];

/** The topic is deleted and created anew under its name: its offsets begin at 0 again. */
async function madeAnew(cluster: ClusterSettings): Promise<void> {
  const numPartitions = await cluster.asAdmin(async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    await admin.deleteTopics({ topics: [topic] });
    return topics[0]?.partitions.length ?? 1;
  });
  const configEntries = [{ name: 'min.insync.replicas', value: '2' }];
  const made = { topic, numPartitions, replicationFactor: 3, configEntries };
  await keepDoing(() => cluster.asAdmin((admin) => admin.createTopics({ topics: [made], waitForLeaders: false })));
}

const settleMs = 25_000;

/** Counts after a pause, when the service has reported all losses. */
async function settledCount(count: () => Promise<number>): Promise<number> {
  await sleep(settleMs);
  return keepDoing(count);
}
