import { type StatusReport } from '@sluice/console-api';
import { type Payloads } from '../payload/payloads.js';

/** The report as everybody sees it: reasons of dead letters may quote what a client sent, so they are masked. */
export function shownReport(report: StatusReport, { masked }: Payloads): StatusReport {
  const maskReason = (reason: string): string => masked.value('reason', reason, { source: '', at: report.at });
  const topics = report.deadLetters.topics.map(({ reasons, ...topic }) => ({
    ...topic,
    reasons: reasons.map(({ reason, letters }) => ({ reason: maskReason(reason), letters })),
  }));
  return { ...report, deadLetters: { ...report.deadLetters, topics } };
}
