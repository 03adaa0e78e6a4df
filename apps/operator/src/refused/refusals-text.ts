import { grid, onOneLine, shortTime } from '../terminal-text.js';
import { type RefusedSample, type Refusals } from './refusals.js';

/** Problems of a sample that are shown; --json has all. */
const maxProblems = 3;

/** Describes refusals: the exact counts, then the samples. */
export function describeRefusals({ since, counts, samples }: Refusals): string {
  if (counts.length === 0 && samples.length === 0) return `Nothing was refused since ${shortTime(since)}.`;
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
  ].join('\n\n');
}

const sourceOf = (identifier: string): string => (identifier === '' ? '(unknown)' : onOneLine(identifier));

function whyOf({ problems, method, route }: RefusedSample): string {
  if (problems.length === 0) return onOneLine(`${method} ${route}`);
  const named = problems.slice(0, maxProblems).map(({ field, message }) => `${field}: ${message}`);
  const more = problems.length - named.length;
  return onOneLine([...named, ...(more > 0 ? [`${more} more`] : [])].join('; '));
}
