import { type ErasureReport } from '@sluice/operations';

const listCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'none';

/** An erasure as text. */
export function describeErasure(erasure: ErasureReport): string {
  const { request, state, by, requestedAt, ids, rows, reached, clearAt, problem, until, reapplied } = erasure;
  const lines: [string, string | undefined][] = [
    ['state', state],
    ['asked', `${requestedAt} by ${by}`],
    ['ids', listCounts(ids)],
    ['rows deleted', listCounts(rows)],
    ['verified', reached.verified],
    ['new person from', until],
    ['gone from Kafka', clearAt?.kafka],
    ['gone from backups', clearAt?.backups],
    ['done again', reapplied > 0 ? `${reapplied} times` : undefined],
    ['waits', problem],
  ];
  const shownLines = lines.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(18)} ${text}`]));
  return [`erasure ${request}`, ...shownLines].join('\n');
}

export const describeErasures = (erasures: readonly ErasureReport[]): string =>
  erasures.length === 0 ? 'There are no erasures.' : erasures.map(describeErasure).join('\n\n');
