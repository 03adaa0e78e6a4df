import {
  type ConsumerStatus,
  type Judged,
  type StatusPart,
  type StatusReport,
  type TopicStatus,
} from '@sluice/console-api';
import { withTopicPrefix } from '@sluice/contracts';

/** Finds the part whose problem explains the state of another part; undefined for a problem of its own. */
export function findCause(report: StatusReport, part: StatusPart): StatusPart | undefined {
  const kafka = isInDoubt(report.kafka) ? 'kafka' : undefined;
  const clickhouse = isInDoubt(report.clickhouse) ? 'clickhouse' : undefined;
  const isUnknown = report[part].verdict === 'unknown';
  switch (part) {
    case 'migrations':
      return isUnknown ? clickhouse : undefined;
    case 'deadLetters':
      return isUnknown ? (kafka ?? clickhouse) : undefined;
    case 'data':
      return kafka ?? clickhouse ?? (isExplained(report) ? 'consumers' : undefined);
    case 'consumers':
      return hasOwnProblem(report.consumers.consumers) ? undefined : (kafka ?? clickhouse);
    case 'gateways':
      return report.gateways.gateways.some(
        ({ unreachable, spoolRefused, namesReached = [] }) =>
          unreachable !== null || spoolRefused > 0 || namesReached.length > 0,
      )
        ? undefined
        : kafka;
    case 'sources':
      return isUnknown
        ? (kafka ?? clickhouse ?? firstBad(report, ['gateways', 'consumers', 'data']))
        : (kafka ?? clickhouse);
    default:
      return undefined;
  }
}

/** Part that keeps the counts of gateways from arriving. */
const firstBad = (report: StatusReport, parts: readonly StatusPart[]): StatusPart | undefined =>
  parts.find((part) => report[part].verdict !== 'ok');

/** Whether a part is not well because it could not be asked. */
export const isInDoubt = ({ verdict }: Judged): boolean => verdict === 'unknown' || verdict === 'unreachable';

/** A process that does not answer, lost messages and views of others are not the fault of a server. */
const hasOwnProblem = (consumers: readonly ConsumerStatus[]): boolean =>
  consumers.some(
    ({ unreachable, lostOffsets, foreignViews = [] }) =>
      unreachable !== null || lostOffsets > 0 || foreignViews.length > 0,
  );

/** Whether every topic that waits, waits for a consumer that is itself the problem. */
function isExplained({ data, consumers, at }: StatusReport): boolean {
  const waitingTopics = [longWaitMs, shortWaitMs]
    .map((ms) => data.topics.filter((topic) => topic.members === 0 || hasWaited(topic, at, ms)))
    .find((topics) => topics.length > 0);
  return waitingTopics?.every((topic) => consumers.consumers.some((consumer) => holdsUp(consumer, topic))) ?? false;
}

/** Waits, milliseconds, above which a topic is behind: at any time, and while someone stores nothing. */
const longWaitMs = 15_000;
const shortWaitMs = 5_000;
const hasWaited = ({ lateSince }: TopicStatus, at: string, ms: number): boolean =>
  lateSince !== null && Date.parse(at) - Date.parse(lateSince) > ms;

/** Whether messages of a topic wait longer than a healthy consumer needs to store them. */
export const isHeldUp = (topic: TopicStatus, at: string): boolean => hasWaited(topic, at, shortWaitMs);

/** Whether a consumer holds a topic up. A process that never answered has not said which consumer it is: it may be any. */
export function holdsUp({ unreachable, name, stuck }: ConsumerStatus, { topic, consumer }: TopicStatus): boolean {
  if (stuck.some((partition) => partition.topic === topic)) return true;
  const app = readApp(name);
  return unreachable !== null && (app === 'consumer' || withTopicPrefix(app) === consumer);
}

/** Whether a process answers that is one of the consumer of a topic. */
export const isAnsweringFor = ({ unreachable, name }: ConsumerStatus, { consumer }: TopicStatus): boolean =>
  unreachable === null && withTopicPrefix(readApp(name)) === consumer;

/** App of a process: `tracking` of `tracking at 10.0.0.7:9000`; `consumer` while it is not known. */
const readApp = (name = ''): string => (name.includes(' at ') ? (name.split(' at ')[0] ?? '') : 'consumer');
