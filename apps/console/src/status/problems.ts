import { type StatusProblem, type StatusReport, type Verdict } from '@sluice/console-api';

type Part = StatusProblem['part'];
type Advice = Pick<StatusProblem, 'meaning' | 'action' | 'runbook'>;

const ranks: Readonly<Record<Verdict, number>> = { unreachable: 0, late: 1, attention: 2, unknown: 3, ok: 4 };
const parts: readonly Part[] = ['kafka', 'clickhouse', 'gateways', 'consumers', 'data', 'deadLetters', 'migrations'];

const advice: Readonly<Record<Part, Advice>> = {
  kafka: {
    meaning:
      'Gateways keep accepted messages on their disks until Kafka answers. A gateway without a disk, or with a full one, refuses requests with 503.',
    action: 'Bring Kafka back. Keep the gateways and their volumes until their spools are empty.',
    runbook: 'docs/operations.md#publishfailing',
  },
  clickhouse: {
    meaning: 'Accepted messages wait in Kafka until ClickHouse answers, at most for the retention of their topics.',
    action: 'Bring ClickHouse back before retention deletes what waits.',
    runbook: 'docs/operations.md#insertsfailing',
  },
  gateways: {
    meaning:
      'A gateway does not answer, holds accepted messages that are not in Kafka yet, or keeps new names of a source as text.',
    action:
      'Look at the gateway that is named, and at its disk, before it is removed; at the events of a source that is named.',
    runbook: 'docs/operations.md#spoolnotdraining',
  },
  consumers: {
    meaning:
      'Messages of the partitions that are named wait in Kafka: their consumer does not answer, or cannot store them.',
    action: 'Look at the log of the process that is named; restart it if it does not answer.',
    runbook: 'docs/operations.md#partitionstuck',
  },
  data: {
    meaning: 'Accepted messages are not stored yet: tables and charts are behind.',
    action: 'See whether ClickHouse and the consumers are well; they catch up by themselves.',
    runbook: 'docs/operations.md#datalate',
  },
  deadLetters: {
    meaning: 'Messages that no table accepts were set aside. They are kept until retention deletes them.',
    action: 'Open each one: fix it and send it back, or dismiss it with a reason.',
    runbook: 'docs/operations.md#deadletters',
  },
  migrations: {
    meaning: 'Tables are not as this version expects them.',
    action: 'Run operator migrate.',
    runbook: 'docs/operations.md#upgrades-without-loss',
  },
};

/** Advice for processes whose addresses are not set. */
const unasked: Advice = {
  meaning: 'The console does not ask these processes, so their state is unknown.',
  action: 'Set GATEWAY_METRICS_URLS and CONSUMER_METRICS_URLS of the console.',
  runbook: 'docs/operations.md#console',
};

/** Lists what is not well, worst first, and remembers since when. */
export class Problems {
  private readonly since = new Map<string, string>();

  of(report: StatusReport, now = new Date().toISOString()): StatusProblem[] {
    const found = parts.flatMap((part): StatusProblem[] => {
      const { verdict, summary } = report[part];
      if (verdict === 'ok') return [];
      const id = `${part}:${verdict}`;
      const since = sinceOf(report, part) ?? this.since.get(id) ?? now;
      const isUnasked = verdict === 'unknown' && summary.startsWith('not asked');
      return [{ id, part, verdict, summary, since, ...(isUnasked ? unasked : advice[part]) }];
    });
    const ids = new Set(found.map(({ id }) => id));
    for (const id of this.since.keys()) if (!ids.has(id)) this.since.delete(id);
    for (const { id, since } of found) this.since.set(id, since ?? now);
    return found.sort((a, b) => ranks[a.verdict] - ranks[b.verdict]);
  }
}

/** Start of a part's problem, if the report itself has it. */
function sinceOf({ at, data, consumers, gateways }: StatusReport, part: Part): string | undefined {
  const before = (seconds: number): string => new Date(Date.parse(at) - seconds * 1_000).toISOString();
  const oldest = (times: readonly string[]): string | undefined => [...times].sort()[0];
  if (part === 'data') return oldest(data.topics.flatMap(({ lateSince }) => lateSince ?? []));
  if (part === 'consumers')
    return oldest(consumers.consumers.flatMap(({ stuck }) => stuck.map(({ seconds }) => before(seconds))));
  const spooled = gateways.gateways.filter(({ spoolMessages }) => spoolMessages > 0);
  return part === 'gateways' ? oldest(spooled.map((one) => before(one.spoolOldestAgeSeconds))) : undefined;
}
