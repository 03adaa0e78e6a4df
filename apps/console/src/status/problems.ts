import { type StatusPart, type StatusProblem, type StatusReport, type Verdict } from '@sluice/console-api';
import { adviceOn } from './advice.js';
import { findCause } from './causes.js';
import { findBeginning } from './beginnings.js';

const ranks: Readonly<Record<Verdict, number>> = { unreachable: 0, late: 1, attention: 2, unknown: 3, ok: 4 };
const parts: readonly StatusPart[] = [
  'kafka',
  'clickhouse',
  'gateways',
  'consumers',
  'data',
  'deadLetters',
  'migrations',
  'sources',
];
/** Number of reports in which a part must be well until its problem counts as ended. */
const looksToEnd = 2;
/** Differences of times, milliseconds, which ages of whole seconds explain. */
const jitterMs = 5_000;

/** A part that is not well. */
interface OpenProblem {
  since: string;
  /** Reports in a row that found the part well. */
  wellLooks: number;
}

/** Lists what is not well, worst first, each with its consequences, and remembers since when. */
export class Problems {
  private readonly open = new Map<StatusPart, OpenProblem>();
  private lastAt = '';

  /** @param outages times since which servers do not answer, where the data know none */
  of(
    report: StatusReport,
    now = new Date().toISOString(),
    outages: Partial<Record<StatusPart, string | null>> = {},
  ): StatusProblem[] {
    const bad = parts.filter((part) => report[part].verdict !== 'ok');
    this.countWell(bad, report.at);
    const problems = new Map(bad.map((part) => [part, this.buildProblem(report, part, outages[part] ?? now)]));
    const roots = foldInto(findRoots(report, bad), problems);
    return roots.sort((a, b) => rankProblem(a) - rankProblem(b));
  }

  private buildProblem(report: StatusReport, part: StatusPart, now: string): StatusProblem {
    const { verdict, summary } = report[part];
    const since = this.remember(part, findBeginning(report, part), now);
    return { id: part, part, verdict, summary, since, ...adviceOn(report, part) };
  }

  /** Time that the data know, if they do; else the first time that this process saw. An unknown state ends nothing. */
  private remember(part: StatusPart, timeInData: string | undefined, now: string): string {
    const before = this.open.get(part)?.since;
    const isSame =
      before !== undefined &&
      timeInData !== undefined &&
      Math.abs(Date.parse(timeInData) - Date.parse(before)) < jitterMs;
    const since = isSame ? before : (timeInData ?? before ?? now);
    this.open.set(part, { since, wellLooks: 0 });
    return since;
  }

  /** Counts a report once, however often it is asked for. */
  private countWell(bad: readonly StatusPart[], at: string): void {
    if (at === this.lastAt) return;
    this.lastAt = at;
    for (const [part, problem] of this.open)
      if (!bad.includes(part) && ++problem.wellLooks >= looksToEnd) this.open.delete(part);
  }
}

/** Finds the part that each state follows from; of states that are unknown for one reason, the first one. */
function findRoots(report: StatusReport, bad: readonly StatusPart[]): ReadonlyMap<StatusPart, StatusPart> {
  const firstUnknown = new Map<string, StatusPart>();
  const roots = new Map<StatusPart, StatusPart>();
  for (const part of bad) {
    let root = findCause(report, part) ?? part;
    // The cause may itself follow from another part.
    if (root !== part) root = findCause(report, root) ?? root;
    const { verdict, summary } = report[root];
    if (verdict === 'unknown') {
      root = firstUnknown.get(summary) ?? root;
      firstUnknown.set(summary, root);
    }
    roots.set(part, root);
  }
  return roots;
}

function foldInto(
  roots: ReadonlyMap<StatusPart, StatusPart>,
  problems: ReadonlyMap<StatusPart, StatusProblem>,
): StatusProblem[] {
  return [...problems.values()].flatMap((problem) => {
    if (roots.get(problem.part) !== problem.part) return [];
    const consequences = [...problems.values()]
      .filter(({ part }) => part !== problem.part && roots.get(part) === problem.part)
      .map(({ part, verdict, summary }) => ({ part, verdict, summary }));
    return consequences.length === 0 ? [problem] : [{ ...problem, consequences }];
  });
}

const rankProblem = ({ verdict, consequences = [] }: StatusProblem): number =>
  Math.min(ranks[verdict], ...consequences.map((consequence) => ranks[consequence.verdict]));
