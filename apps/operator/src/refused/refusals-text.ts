import { formatGrid, toOneLine, formatTime } from '../terminal-text.js';
import { type Refusals } from './refusals.js';

/** Max number of problems shown of a sample; --json has all. */
const maxProblems = 3;

/** Describes refusals: the exact counts, then the samples, then the messages that were kept. */
export function describeRefusals({ since, counts, samples, kept: keptCounts }: Refusals): string {
  const parts = [...describeRequests(since, counts, samples), ...describeKept(since, keptCounts)];
  return parts.length === 0 ? `Nothing was refused since ${formatTime(since)}.` : parts.join('\n\n');
}

function describeRequests(since: string, counts: Refusals['counts'], samples: Refusals['samples']): string[] {
  if (counts.length === 0 && samples.length === 0) return [];
  const countRows = counts.map((requestCount) => [
    String(requestCount.count),
    formatSource(requestCount.sourceIdentifier),
    requestCount.kind,
    toOneLine(requestCount.reason),
    formatTime(requestCount.newest),
  ]);
  const sampleRows = samples.map((sample) => [
    formatTime(sample.at),
    sample.claimedSource ? `claims ${toOneLine(sample.claimedSource)}` : formatSource(sample.sourceIdentifier),
    String(sample.status),
    toOneLine(sample.reason),
    describeProblems(sample),
    sample.requestId,
  ]);
  return [
    `Refused or left out since ${formatTime(since)}:`,
    formatGrid(['REQUESTS', 'SOURCE', 'KIND', 'REASON', 'NEWEST'], countRows),
    'Samples, the newest first, without a valid key last:',
    formatGrid(['AT', 'SOURCE', 'STATUS', 'REASON', 'PROBLEMS', 'REQUEST'], sampleRows),
  ];
}

function describeKept(since: string, keptCounts: Refusals['kept']): string[] {
  if (keptCounts.length === 0) return [];
  const rows = keptCounts.map((keptCount) => [
    String(keptCount.count),
    formatSource(keptCount.sourceIdentifier),
    toOneLine(keptCount.kind === 'track' ? keptCount.event : keptCount.kind),
    keptCount.reason === 'plan' ? `plan ${keptCount.planVersion}` : keptCount.reason,
    toOneLine(keptCount.violations.join(' ')),
    formatTime(keptCount.newest),
  ]);
  return [
    `Messages kept whole since ${formatTime(since)}, for operator refused replay:`,
    formatGrid(['MESSAGES', 'SOURCE', 'EVENT', 'REASON', 'VIOLATIONS', 'NEWEST'], rows),
  ];
}

const formatSource = (identifier: string): string => (identifier === '' ? '(unknown)' : toOneLine(identifier));

function describeProblems({ problems, method, route }: Refusals['samples'][number]): string {
  if (problems.length === 0) return toOneLine(`${method} ${route}`);
  const shownProblems = problems
    .slice(0, maxProblems)
    .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  const unlistedCount = problems.length - shownProblems.length;
  return toOneLine([...shownProblems, ...(unlistedCount > 0 ? [`${unlistedCount} more`] : [])].join('; '));
}
