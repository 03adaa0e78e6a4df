import { type StatusPart, type StatusReport } from '@sluice/console-api';
import { holdsUp } from './causes.js';

/** Start of a part's problem, if the data know it: then a restarted console, and another one, answer the same. */
export function findBeginning(report: StatusReport, part: StatusPart): string | undefined {
  const { data, gateways, deadLetters } = report;
  switch (part) {
    case 'data':
      return oldest(data.topics.map(({ lateSince }) => lateSince));
    case 'deadLetters':
      return oldest(deadLetters.topics.map(({ oldestUntreated }) => oldestUntreated));
    case 'consumers':
      return stuckSince(report) ?? waitingSince(report);
    case 'gateways':
      return gateways.gateways.some(({ unreachable }) => unreachable !== null) ? undefined : spooledSince(report);
    case 'sources':
      return oldest(report.sources.sources.map(({ newest }) => newest));
    case 'kafka':
      return report.kafka.verdict === 'unreachable' ? spooledSince(report) : undefined;
    case 'clickhouse':
      return report.clickhouse.verdict === 'unreachable' ? stuckSince(report) : undefined;
    default:
      return undefined;
  }
}

const oldest = (times: readonly (string | null | undefined)[]): string | undefined =>
  times.filter((time): time is string => typeof time === 'string').sort()[0];

const before = (at: string, seconds: number): string => new Date(Date.parse(at) - seconds * 1_000).toISOString();

const stuckSince = ({ at, consumers }: StatusReport): string | undefined =>
  oldest(consumers.consumers.flatMap(({ stuck }) => stuck.map(({ seconds }) => before(at, seconds))));

/** Oldest message that waits for a process that does not answer. */
const waitingSince = ({ data, consumers }: StatusReport): string | undefined => {
  const silent = consumers.consumers.filter(({ unreachable }) => unreachable !== null);
  const waiting = data.topics.filter((topic) => silent.some((consumer) => holdsUp(consumer, topic)));
  return oldest(waiting.map(({ lateSince }) => lateSince));
};

const spooledSince = ({ at, gateways }: StatusReport): string | undefined => {
  const spooled = gateways.gateways.filter(({ spoolMessages }) => spoolMessages > 0);
  return oldest(spooled.map(({ spoolOldestAgeSeconds }) => before(at, spoolOldestAgeSeconds)));
};
