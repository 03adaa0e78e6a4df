import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import { type ClusterSettings } from '../thousand/cluster-settings.js';
import { type FaultClass } from '../thousand/fault-class.js';
import { type Stage } from '../thousand/stage.js';
import { requireStream } from '../thousand/stream.js';
import { stuckMetric, until, untilStuck } from '../thousand/until.js';

/** Faults that destroy acknowledged messages before they are stored. The load is paused; earlier messages are stored. */
const aboutBytes = { scope: 'stored bytes', takes: ['consumers', 'topic'] } as const;
const stream = requireStream('identify');
const topic = stream.topic.name;
const messages = 3_000;
const ofTopic = `topic="${topic}"`;
const ofService = 'consumer="tracking"';
const lostMetric = 'sluice_consumer_lost_offsets_total';
const lagMetric = 'sluice_consumer_lag_messages';
const unannounced = 'impossible: deleted by hand';
/** Retention is 7 days, so a message of this age has half a day left. */
const nearlyKeptMs = 6.5 * 24 * 3_600_000;
/** Time for the other partitions to get stuck after the first. */
const allStuckMs = 2_000;

/** Deletes the oldest `share` of the unread messages of each partition, as retention does. */
async function retentionPasses({ cluster }: Stage, share = 0.5): Promise<void> {
  await cluster.asAdmin(async (admin) => {
    const [committed] = await admin.fetchOffsets({ groupId: stream.group, topics: [topic] });
    const ends = await admin.fetchTopicOffsets(topic);
    const partitions = ends.map(({ partition, low, high }) => {
      const committedOffset = Number(committed?.partitions.find((commit) => commit.partition === partition)?.offset);
      const from = Math.max(Number(low), committedOffset);
      return { partition, offset: String(from + Math.floor((Number(high) - from) * share)) };
    });
    await admin.deleteTopicRecords({ topic, partitions });
  });
}

const lost = ({ tracking }: Stage) => tracking.metric(lostMetric);

const classes: readonly FaultClass[] = [
  {
    ...aboutBytes,
    name: 'retention overtakes stopped consumers',
    weight: 2,
    inject: async (stage) => {
      const { tracking, load } = stage;
      const count = tracking.count;
      const watch = await stage.watchAlerts('ConsumerMissing', 'RetentionTook');
      await tracking.stopAll();
      await load.send(stream, messages);
      await stage.expectAlert(watch, 'before', 'ConsumerMissing', ofService);
      await eventually(() => retentionPasses(stage));
      for (let n = 0; n < count; n++) await tracking.add();
      await stage.expectAlert(watch, 'after', 'RetentionTook', ofTopic);
      stage.reportMissing(stream, await settledCount(() => lost(stage)));
    },
  },
  {
    ...aboutBytes,
    name: 'retention overtakes paused consumers',
    weight: 2,
    inject: async (stage) => {
      const { load } = stage;
      const watch = await stage.watchAlerts('ConsumerMissing', 'RetentionTook');
      const before = await lost(stage);
      signalAll(stage, 'SIGSTOP');
      await load.send(stream, messages);
      await stage.expectAlert(watch, 'before', 'ConsumerMissing', ofService);
      await eventually(() => retentionPasses(stage));
      signalAll(stage, 'SIGCONT');
      await stage.expectAlert(watch, 'after', 'RetentionTook', ofTopic);
      stage.reportMissing(stream, await settledCount(async () => (await lost(stage)) - before));
    },
  },
  {
    ...aboutBytes,
    name: 'retention overtakes consumers whose blocks fail',
    weight: 2,
    inject: async (stage) => {
      const { load, trackingProxy } = stage;
      const watch = await stage.watchAlerts('RetentionNear', 'RetentionTook');
      const before = await lost(stage);
      trackingProxy.isReadOnly = true;
      try {
        await load.sendAged(stream, messages, nearlyKeptMs);
        await untilStuck(stage);
        await sleep(allStuckMs);
        // These messages are not fetched, because the partitions are stuck.
        await load.send(stream, messages);
        await stage.expectAlert(watch, 'before', 'RetentionNear', ofTopic);
        await eventually(() => retentionPasses(stage, 0.75));
      } finally {
        trackingProxy.isReadOnly = false;
      }
      await stage.expectAlert(watch, 'after', 'RetentionTook', ofTopic);
      stage.reportMissing(stream, await settledCount(async () => (await lost(stage)) - before));
    },
  },
  {
    ...aboutBytes,
    name: 'a topic recreated',
    weight: 1,
    inject: async (stage) => {
      const { cluster, load } = stage;
      const before = await lost(stage);
      await recreated(cluster);
      await load.send(stream, messages);
      stage.reportMissing(stream, (await lost(stage)) - before);
    },
  },
  {
    ...aboutBytes,
    name: 'a topic recreated under consumers whose blocks fail',
    weight: 2,
    unannounced,
    inject: async (stage) => {
      const { load, cluster, trackingProxy, tracking } = stage;
      const watch = await stage.watchAlerts('RetentionTook');
      const before = await lost(stage);
      trackingProxy.isReadOnly = true;
      try {
        await load.send(stream, messages);
        await untilStuck(stage);
        await sleep(allStuckMs);
        // Blocks already held outlive their topic. These messages are not fetched, because the partitions are stuck.
        await load.send(stream, messages);
        // Consumers check the ends of logs every few seconds.
        await until('the lag is known', async () => (await tracking.metric(lagMetric, ofTopic)) >= 2 * messages);
        await recreated(cluster);
      } finally {
        trackingProxy.isReadOnly = false;
      }
      await until('no partition is stuck', async () => (await tracking.metric(stuckMetric)) === 0);
      // Gives consumers time to notice the new log before it reaches the old offset, where they would continue.
      await sleep(5_000);
      await load.send(stream, messages);
      await stage.expectAlert(watch, 'after', 'RetentionTook', ofTopic);
      stage.reportMissing(stream, await settledCount(async () => (await lost(stage)) - before));
    },
  },
  {
    ...aboutBytes,
    name: 'a topic recreated before paused consumers read it',
    weight: 2,
    inject: async (stage) => {
      const { load, cluster } = stage;
      const watch = await stage.watchAlerts('ConsumerMissing', 'TopicRecreated');
      const before = await lost(stage);
      signalAll(stage, 'SIGSTOP');
      await load.send(stream, messages);
      await stage.expectAlert(watch, 'before', 'ConsumerMissing', ofService);
      stage.topicDeleted(stream);
      await recreated(cluster);
      signalAll(stage, 'SIGCONT');
      await load.send(stream, messages);
      await stage.expectAlert(watch, 'after', 'TopicRecreated', ofTopic);
      stage.reportMissing(stream, await settledCount(async () => (await lost(stage)) - before, 0));
    },
  },
  {
    ...aboutBytes,
    name: 'a topic recreated in a short pause of its consumers',
    weight: 2,
    unannounced,
    inject: async (stage) => {
      const { load, cluster } = stage;
      const watch = await stage.watchAlerts('TopicRecreated');
      const before = await lost(stage);
      signalAll(stage, 'SIGSTOP');
      await load.send(stream, messages);
      stage.topicDeleted(stream);
      await recreated(cluster);
      await load.send(stream, messages);
      // Consumers are still members of their groups, and the new log may already have passed their offsets.
      signalAll(stage, 'SIGCONT');
      await stage.expectAlert(watch, 'after', 'TopicRecreated', ofTopic);
      stage.reportMissing(stream, await settledCount(async () => (await lost(stage)) - before, 0));
    },
  },
  {
    ...aboutBytes,
    name: 'a topic recreated before stopped consumers read it',
    weight: 2,
    inject: async (stage) => {
      const { load, cluster, tracking } = stage;
      const count = tracking.count;
      const watch = await stage.watchAlerts('ConsumerMissing');
      await tracking.stopAll();
      await load.send(stream, messages);
      await stage.expectAlert(watch, 'before', 'ConsumerMissing', ofService);
      stage.topicDeleted(stream);
      await recreated(cluster);
      await load.send(stream, messages);
      for (let n = 0; n < count; n++) await tracking.add();
      // The new processes cannot know that there was another log: ConsumerMissing was the warning.
      stage.reportMissing(stream, await settledCount(() => lost(stage), 0));
    },
  },
];

export const storedBytesClasses: readonly FaultClass[] = classes.map((faultClass) => ({
  ...faultClass,
  inject: async (stage, random) => {
    await untilCommitted(stage);
    await faultClass.inject(stage, random);
  },
}));

/** Waits for a commit in each partition; sends messages if one has none. The group counts losses from its commit on. */
async function untilCommitted({ cluster, load }: Stage): Promise<void> {
  const hasAll = async (): Promise<boolean> => {
    const [commits] = await cluster.asAdmin((admin) => admin.fetchOffsets({ groupId: stream.group, topics: [topic] }));
    return commits?.partitions.every(({ offset }) => Number(offset) >= 0) ?? false;
  };
  if (!(await eventually(hasAll))) await load.send(stream, messages);
  await until('each partition has a commit', hasAll);
}

function signalAll({ tracking }: Stage, signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (let n = 0; n < tracking.count; n++) tracking.signal(n, signal);
}

/** Deletes the topic and creates it again with the same name; its offsets begin at 0. */
async function recreated(cluster: ClusterSettings): Promise<void> {
  const numPartitions = await cluster.asAdmin(async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    await admin.deleteTopics({ topics: [topic] });
    return topics[0]?.partitions.length ?? 1;
  });
  const configEntries = [{ name: 'min.insync.replicas', value: '2' }];
  const topicConfig = { topic, numPartitions, replicationFactor: 3, configEntries };
  await eventually(() =>
    cluster.asAdmin((admin) => admin.createTopics({ topics: [topicConfig], waitForLeaders: false })),
  );
}

/** Exceeds the time in which a consumer detects a recreated topic. */
const steadyMs = 16_000;
const maxMs = 120_000;

/** The count of losses after it has been stable for a while, and at least `min` unless it takes too long. */
async function settledCount(count: () => Promise<number>, min = 1): Promise<number> {
  const startedAt = Date.now();
  let last = { value: await eventually(count), at: startedAt };
  for (;;) {
    const now = Date.now();
    if (now - startedAt > maxMs || (last.value >= min && now - last.at > steadyMs)) return last.value;
    await sleep(500);
    const value = await eventually(count);
    if (value !== last.value) last = { value, at: Date.now() };
  }
}
