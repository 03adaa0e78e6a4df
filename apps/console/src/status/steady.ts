import { type StatusReport } from '@sluice/console-api';
import { isHeldUp, isInDoubt } from './causes.js';

/** Parts that are read by asking a server, which may fail for a moment. */
const remoteParts = ['kafka', 'data', 'deadLetters', 'clickhouse', 'migrations', 'sources'] as const;

/** Smooths readings of the status: one failed reading is not a problem, and one good reading is not the end of a backlog. */
export class Steady {
  private lastReport: StatusReport | undefined;
  /** Parts whose last reading failed. */
  private readonly failed = new Set<(typeof remoteParts)[number]>();
  /** Time of the last reading in which someone did not store. */
  private heldUpAt: string | undefined;

  of(report: StatusReport): StatusReport {
    const earlierParts = Object.fromEntries(
      remoteParts.flatMap((part) => (this.isFirstFailure(report, part) ? [[part, this.lastReport?.[part]]] : [])),
    ) as Partial<StatusReport>;
    this.lastReport = this.withBacklog({ ...report, ...earlierParts });
    return this.lastReport;
  }

  /** Whether a part that was known could not be read for the first time in a row: a second look decides. */
  private isFirstFailure(report: StatusReport, part: (typeof remoteParts)[number]): boolean {
    if (!isInDoubt(report[part])) {
      this.failed.delete(part);
      return false;
    }
    const isFirst = !this.failed.has(part) && this.lastReport !== undefined && !isInDoubt(this.lastReport[part]);
    this.failed.add(part);
    return isFirst;
  }

  /** Messages that waited for someone who did not store are a backlog until they are stored, however young they are. */
  private withBacklog(report: StatusReport): StatusReport {
    const holders = [report.consumers, report.kafka, report.clickhouse];
    if (holders.some(({ verdict }) => verdict !== 'ok')) this.heldUpAt = report.at;
    const heldUpAt = this.heldUpAt ?? '';
    const isNow = heldUpAt === report.at;
    const isBacklog = report.data.topics.some((topic) =>
      isNow ? isHeldUp(topic, report.at) : topic.lateSince !== null && topic.lateSince < heldUpAt,
    );
    const data = { ...report.data, ...(this.heldUpAt !== undefined && { heldUpUntil: this.heldUpAt }) };
    if (data.verdict !== 'ok' || !isBacklog) return { ...report, data };
    const summary = isNow ? 'messages wait to be stored' : 'messages that waited are being stored';
    return { ...report, data: { ...data, verdict: 'attention', summary } };
  }
}
