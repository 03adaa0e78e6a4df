import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic, trackTopic } from '@sluice/contracts';
import { type FaultClass } from '../thousand/fault-class.js';
import { Foreign, type ForeignMessage } from '../thousand/foreign.js';
import { type Random } from '@sluice/testing';
import { type Stage } from '../thousand/stage.js';
import { requireStream } from '../thousand/stream.js';
import { untilFelt } from '../thousand/until.js';

/** Messages in the topic of events that no gateway would send. */
const aboutMessages = { scope: 'events', takes: [] } as const;
const track = requireStream('track');
const contract = { contract: trackTopic.contract };
const nearLimit = 2_000_000;
/** Time until senders use a new partition: they refresh their metadata every minute. */
const untilUsedMs = 65_000;

/** Values that the table of events refuses, even with the right contract. */
const badValues: readonly string[] = [
  '',
  ' ',
  'null',
  '[]',
  '{',
  'not JSON',
  '{"source_id":"FaultSource1","timestamp":',
  '{"source_id":"FaultSource1","event":"cut',
  '{"source_id":"FaultSource1","message_id":"no id"}',
  '{"source_id":"FaultSource1","timestamp":"yesterday","event":"e"}',
  '{"source_id":"FaultSource1","properties":[1,2],"event":"e"}',
  `{"source_id":"FaultSource1","properties":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
];

const poison = (make: (random: Random) => ForeignMessage[]) => async (stage: Stage, random: Random) => {
  await new Foreign(stage).refused(track, make(random));
};

const makeSome = (random: Random, make: (n: number) => ForeignMessage): ForeignMessage[] =>
  Array.from({ length: 1 + random.below(10) }, (_, n) => make(n));

export const messageClasses: readonly FaultClass[] = [
  {
    ...aboutMessages,
    name: 'rows cut or mangled',
    weight: 5,
    inject: poison((random) => makeSome(random, () => ({ value: random.pick(badValues), headers: contract }))),
  },
  {
    ...aboutMessages,
    name: 'null keys and headers and tombstones',
    weight: 5,
    inject: poison((random) =>
      makeSome(random, (n) => ({
        key: n % 2 === 0 ? null : 'key',
        value: n % 3 === 0 ? null : '{}',
        headers: n % 3 === 1 ? { nothing: null } : { ...contract, nothing: null },
      })),
    ),
  },
  {
    ...aboutMessages,
    name: 'unknown contract',
    weight: 4,
    inject: poison((random) =>
      makeSome(random, (n) => ({ value: '{"a":1}', headers: n % 2 ? {} : { contract: 'track.v9' } })),
    ),
  },
  {
    ...aboutMessages,
    name: 'a message near 2 MiB refused',
    weight: 2,
    inject: poison(() => [{ value: `{"text":"${'x'.repeat(nearLimit)}"}`, headers: { contract: 'track.v9' } }]),
  },
  {
    ...aboutMessages,
    name: 'thousands refused at once',
    weight: 1,
    maxCount: 8,
    inject: poison(() => Array.from({ length: 5_000 }, () => ({ value: 'x'.repeat(60), headers: {} }))),
  },
  {
    ...aboutMessages,
    name: 'rows of 150 weeks in a block',
    weight: 1,
    maxCount: 8,
    inject: async ({ load }) => {
      const weekMs = 7 * 24 * 3_600_000;
      let week = 0;
      await load.send(track, 150, (row) => ({
        ...row,
        received_at: new Date(Date.now() - weekMs * ++week).toISOString(),
      }));
    },
  },
  {
    ...aboutMessages,
    name: 'repeats into a big table',
    weight: 5,
    inject: async ({ load }, random) => {
      // Leave out the newest messages: one not yet acknowledged could arrive after its own repeat, undetected.
      const last = Math.max(0, load.sentCount(track) - 10 * track.rowsPerSecond);
      await load.repeat(
        track,
        Array.from({ length: Math.min(300, last) }, () => random.below(last)),
      );
    },
  },
  {
    ...aboutMessages,
    takes: ['topic'],
    name: 'another codec',
    weight: 4,
    inject: async ({ cluster }, random) => {
      const codec = random.pick(['lz4', 'snappy', 'gzip', 'zstd']);
      await cluster.with(trackTopic.name, 'compression.type', codec, () => sleep(random.between(500, 1_500)));
    },
  },
  {
    scope: 'partitions',
    takes: ['topic'],
    name: 'a partition added',
    weight: 1,
    maxCount: 2,
    inject: async ({ cluster }) => {
      await sleep(2_000);
      await cluster.asAdmin(async (admin) => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [trackTopic.name] });
        const count = (topics[0]?.partitions.length ?? 0) + 1;
        await admin.createPartitions({ topicPartitions: [{ topic: trackTopic.name, count }] });
      });
      await sleep(untilUsedMs);
    },
  },
  {
    ...aboutMessages,
    takes: ['letters'],
    name: 'dead-letter topic unwritable',
    weight: 3,
    inject: async (stage, random) => {
      // Allows no message size, or no age. min.insync.replicas would not help: Kafka caps it at the number of replicas.
      const [setting, value] = random.pick([
        ['max.message.bytes', '10'],
        ['message.timestamp.before.max.ms', '0'],
      ] as const);
      await stage.cluster.with(deadLetterTopic(trackTopic.name), setting, value, async () => {
        await new Foreign(stage).refused(track, [{ value: 'no letter can be written of this', headers: contract }]);
        await untilFelt(stage, 'dead letters');
        await sleep(random.between(500, 2_500));
      });
    },
  },
];
