import { grid, onOneLine, shortTime } from '../terminal-text.js';
import { type KeptCount } from './kept-messages.js';
import { type RefusedSample, type Refusals } from './refusals.js';

/** Max number of problems shown of a sample; --json has all. */
const maxProblems = 3;

/** Describes refusals: the exact counts, then the samples, then the messages that were kept. */
export function describeRefusals({ since, counts, samples, kept }: Refusals): string {
  const parts = [...requestsText(since, counts, samples), ...keptText(since, kept)];
  return parts.length === 0 ? `Nothing was refused since ${shortTime(since)}.` : parts.join('\n\n');
}

function requestsText(since: string, counts: Refusals['counts'], samples: Refusals['samples']): string[] {
  if (counts.length === 0 && samples.length === 0) return [];
  const countRows = counts.map((one) => [
    String(one.count),
    sourceOf(one.sourceIdentifier),
    one.kind,
    onOneLine(one.reason),
    shortTime(one.newest),
  ]);
  const sampleRows = samples.map((one) => [
    shortTime(one.at),
    sourceOf(one.sourceIdentifier),
    String(one.status),
    onOneLine(one.reason),
    whyOf(one),
    one.requestId,
  ]);
  return [
    `Refused since ${shortTime(since)}:`,
    grid(['REQUESTS', 'SOURCE', 'KIND', 'REASON', 'NEWEST'], countRows),
    'Samples, the newest first:',
    grid(['AT', 'SOURCE', 'STATUS', 'REASON', 'PROBLEMS', 'REQUEST'], sampleRows),
  ];
}

function keptText(since: string, kept: readonly KeptCount[]): string[] {
  if (kept.length === 0) return [];
  const rows = kept.map((one) => [
    String(one.count),
    sourceOf(one.sourceIdentifier),
    onOneLine(one.kind === 'track' ? one.event : one.kind),
    one.reason === 'plan' ? `plan ${one.planVersion}` : one.reason,
    onOneLine(one.violations.join(' ')),
    shortTime(one.newest),
  ]);
  return [
    `Messages kept whole since ${shortTime(since)}, for operator refused replay:`,
    grid(['MESSAGES', 'SOURCE', 'EVENT', 'REASON', 'VIOLATIONS', 'NEWEST'], rows),
  ];
}

const sourceOf = (identifier: string): string => (identifier === '' ? '(unknown)' : onOneLine(identifier));

function whyOf({ problems, method, route }: RefusedSample): string {
  if (problems.length === 0) return onOneLine(`${method} ${route}`);
  const named = problems.slice(0, maxProblems).map(({ field, message }) => `${field}: ${message}`);
  const more = problems.length - named.length;
  return onOneLine([...named, ...(more > 0 ? [`${more} more`] : [])].join('; '));
}
