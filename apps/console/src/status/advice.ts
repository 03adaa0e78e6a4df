import { type StatusPart, type StatusProblem, type StatusReport } from '@sluice/console-api';
import { isAnsweringFor } from './causes.js';

/** Advice on a problem: its meaning, what to do, and the runbook. */
export type Advice = Pick<StatusProblem, 'meaning' | 'action' | 'runbook'>;

/** Every problem that a verdict can name. `alerted.spec.ts` says of each which alert fires, or why none does. */
export const advice = {
  kafkaDown: {
    meaning:
      'Gateways keep accepted messages on their disks until Kafka answers. A gateway without a disk, or with a full one, refuses requests with 503.',
    action: 'Bring Kafka back. Keep the gateways and their volumes until their spools are empty.',
    runbook: 'docs/runbooks.md#publishfailing',
  },
  topics: {
    meaning:
      'Topics are missing, or some of their copies are behind. Kafka may refuse messages when another broker fails.',
    action: 'Run operator migrate for missing topics; for copies, look at the brokers.',
    runbook: 'docs/runbooks.md#publishfailing',
  },
  clickhouseDown: {
    meaning: 'Accepted messages wait in Kafka until ClickHouse answers, at most for the retention of their topics.',
    action: 'Bring ClickHouse back before retention deletes what waits.',
    runbook: 'docs/runbooks.md#insertsfailing',
  },
  tables: {
    meaning: 'A shard does not answer, or there are no tables yet.',
    action: 'Bring the shard back that is named; without tables, run operator migrate.',
    runbook: 'docs/runbooks.md#insertsfailing',
  },
  gatewayDown: {
    meaning: 'Requests that reach the gateway that is named fail; the other gateways accept events.',
    action: 'See whether its process runs or hangs, and read its log. Keep its volume: it may hold accepted messages.',
    runbook: 'docs/runbooks.md#gatewaydown',
  },
  gatewaysDown: {
    meaning: 'No gateway answers, so no request is taken: clients keep what they send, or lose it.',
    action: 'See whether the processes run or hang, and what is in front of them. Keep their volumes.',
    runbook: 'docs/runbooks.md#gatewayunavailable',
  },
  spoolRefused: {
    meaning: 'Accepted messages lie in the folder of a gateway, because Kafka refused them or the disk damaged them.',
    action: 'Look at the gateway that is named, and at its disk, before it is removed.',
    runbook: 'docs/runbooks.md#spoolrefused',
  },
  spool: {
    meaning: 'A gateway holds accepted messages that are not in Kafka yet.',
    action:
      'It sends them by itself: keep its volume. If their number does not fall, look at the gateway and its disk.',
    runbook: 'docs/runbooks.md#spoolnotdraining',
  },
  names: {
    meaning: 'A source sends more new names than a day allows; the values of further ones are kept as text.',
    action: 'Look at the events of the source that is named: ids or times may stand in names.',
    runbook: 'docs/runbooks.md#sourcenames',
  },
  consumerDown: {
    meaning: 'Messages of its topics wait in Kafka while the consumer that is named does not answer.',
    action: 'Start it again: its log says why it ended, or its first lines which variable is wrong.',
    runbook: 'docs/runbooks.md#consumermissing',
  },
  consumerHangs: {
    meaning:
      'Messages of its topics wait in Kafka: the process that is named takes connections and says nothing, or the network loses them.',
    action: 'See whether its machine is well, and restart the process; what was under way is repeated exactly.',
    runbook: 'docs/runbooks.md#consumermissing',
  },
  joining: {
    meaning:
      'Accepted messages of the consumer that is named wait in Kafka: its process answers, and has no partitions yet.',
    action: 'It joins its group within a minute, and stores what waits. If it does not, its log says why.',
    runbook: 'docs/runbooks.md#partitionsunassigned',
  },
  lost: {
    meaning: 'Kafka deleted messages before they were stored.',
    action: 'Find the range in the log of the consumer: it says whether they are lost.',
    runbook: 'docs/runbooks.md#retentiontook',
  },
  foreignView: {
    meaning:
      'A materialized view that is not part of Sluice fails or is slow. All rows are stored; its target lacks some.',
    action: 'Drop the view that is named, or let its owner fix it.',
    runbook: 'docs/runbooks.md#foreignviewfails',
  },
  stuck: {
    meaning: 'Messages of the partitions that are named wait in Kafka: their consumer cannot store them.',
    action: 'The reason says what to fix; all other partitions go on.',
    runbook: 'docs/runbooks.md#partitionstuck',
  },
  stuckForAMoment: {
    meaning: 'Messages of the partitions that are named wait in Kafka: their last INSERT was lost in an outage.',
    action: 'Wait: it is tried again within half a minute. If it is not, see whether the consumer reaches ClickHouse.',
    runbook: 'docs/runbooks.md#partitionstuck',
  },
  late: {
    meaning: 'Accepted messages are not stored yet: tables and charts are behind.',
    action: 'See on the page Pipeline which topic has all the lag; its consumer may need more processes.',
    runbook: 'docs/runbooks.md#datalate',
  },
  catchingUp: {
    meaning: 'What waited while a server or a consumer stored nothing is being stored now: tables and charts follow.',
    action: 'Wait: this ends by itself. If it does not within minutes, the page Pipeline shows which topic is behind.',
    runbook: 'docs/runbooks.md#datalate',
  },
  noConsumer: {
    meaning: 'Accepted messages of the consumer that is named wait in Kafka, because no process of it is in its group.',
    action: 'See whether a process of it runs. One that ended says why in its log; one that hangs must be restarted.',
    runbook: 'docs/runbooks.md#consumermissing',
  },
  letters: {
    meaning: 'Messages that no table accepts were set aside. They are kept until retention deletes them.',
    action: 'Open each one: fix it and send it back, or dismiss it with a reason.',
    runbook: 'docs/runbooks.md#deadletters',
  },
  sourceRefused: {
    meaning: 'Its clients lose what they do not send again.',
    action: 'Open the source: its refusals say what is wrong, and its owner must act.',
    runbook: 'docs/runbooks.md#sourcerefused',
  },
  sourceSilent: {
    meaning: 'Its clients send nothing, or their requests do not reach the gateways.',
    action: 'Ask its owner for a release of an hour ago; see whether the address of the gateways resolves.',
    runbook: 'docs/runbooks.md#sourcesilent',
  },
  migrations: {
    meaning: 'Tables are not as this version expects them.',
    action: 'Run operator migrate.',
    runbook: 'docs/upgrades.md#upgrades-without-loss',
  },
  /** Processes whose addresses are not set. */
  unasked: {
    meaning: 'The console does not ask these processes, so their state is unknown.',
    action: 'Set GATEWAY_METRICS_URLS and CONSUMER_METRICS_URLS of the console.',
    runbook: 'docs/variables.md#variables',
  },
  /** A state that is not known yet, or that another part decides about: there is nothing to do here. */
  none: { meaning: '', action: '', runbook: '' },
} as const satisfies Record<string, Advice>;

/** Advice on the problem that a part has by itself. */
export function adviceOn(report: StatusReport, part: StatusPart): Advice {
  const { verdict, summary } = report[part];
  if (verdict === 'unknown') return summary.startsWith('not asked') ? advice.unasked : advice.none;
  switch (part) {
    case 'kafka':
      return verdict === 'unreachable' ? advice.kafkaDown : advice.topics;
    case 'clickhouse':
      return verdict === 'unreachable' ? advice.clickhouseDown : advice.tables;
    case 'gateways':
      return adviceOnGateways(report.gateways);
    case 'consumers':
      return adviceOnConsumers(report.consumers);
    case 'data':
      return adviceOnData(report);
    case 'deadLetters':
      return advice.letters;
    case 'migrations':
      return advice.migrations;
    case 'sources':
      return report.sources.sources.some(({ trouble }) => trouble === 'refused')
        ? advice.sourceRefused
        : advice.sourceSilent;
  }
}

function adviceOnData({ at, data, consumers }: StatusReport): Advice {
  const idleTopics = data.topics.filter(({ members }) => members === 0);
  if (idleTopics.length === 0) return isCatchingUp(data, at) ? advice.catchingUp : advice.late;
  const isJoining = idleTopics.every((topic) =>
    consumers.consumers.some((consumer) => isAnsweringFor(consumer, topic)),
  );
  return isJoining ? advice.joining : advice.noConsumer;
}

/** Time after a recovery for which a backlog needs nobody. */
const catchUpMs = 300_000;

/** Whether the backlog is only what arrived during an outage of the store that ended a short time ago. */
function isCatchingUp({ topics, heldUpUntil }: StatusReport['data'], at: string): boolean {
  if (heldUpUntil === undefined || Date.parse(at) - Date.parse(heldUpUntil) > catchUpMs) return false;
  return topics.every(({ lateSince }) => lateSince === null || lateSince <= heldUpUntil);
}

function adviceOnGateways({ gateways }: StatusReport['gateways']): Advice {
  const downGateways = gateways.filter(({ unreachable }) => unreachable !== null);
  if (downGateways.length > 0) return downGateways.length < gateways.length ? advice.gatewayDown : advice.gatewaysDown;
  if (gateways.some(({ spoolRefused }) => spoolRefused > 0)) return advice.spoolRefused;
  return gateways.some(({ spoolMessages }) => spoolMessages > 0) ? advice.spool : advice.names;
}

/** Codes of a step without an answer; while ClickHouse answers the console, they end by themselves. */
const lostAnswers: ReadonlySet<string> = new Set(['no_answer', 'ECONNREFUSED', 'ECONNRESET', 'TimeoutError']);

function adviceOnConsumers({ consumers }: StatusReport['consumers']): Advice {
  const downConsumers = consumers.filter(({ unreachable }) => unreachable !== null);
  if (downConsumers.some(({ isSilent = false }) => isSilent)) return advice.consumerHangs;
  if (downConsumers.length > 0) return advice.consumerDown;
  if (consumers.some(({ lostOffsets }) => lostOffsets > 0)) return advice.lost;
  const stuck = consumers.flatMap((consumer) => consumer.stuck);
  if (stuck.length === 0) return advice.foreignView;
  return stuck.every(({ code }) => lostAnswers.has(code)) ? advice.stuckForAMoment : advice.stuck;
}
