import { type LedgerProgress } from '@sluice/console-api';
import { tooMany } from '../http/console-error.js';

/** Time for which an answer is reused: the page asks repeatedly, and a run costs two servers some seconds. */
const sameAnswerMs = 5_000;
const maxKept = 20;
const maxWaiting = 10;

interface Kept<T> {
  readonly result: Promise<T>;
  doneAt: number | undefined;
  /** Step that runs; 0 while it waits for other runs. */
  step: number;
}

/** Runs checks one at a time. The same question during a check, or up to five seconds later, has the same answer. */
export class LedgerRuns<T> {
  private readonly kept = new Map<string, Kept<T>>();
  private last: Promise<unknown> = Promise.resolve();
  /** Number of runs of each user that wait or run. */
  private readonly open = new Map<string, number>();

  /** @throws ConsoleError 429 when another run of the user is open, or too many wait. */
  run(question: string, user: string, work: (onStep: (step: number) => void) => Promise<T>): Promise<T> {
    const known = this.kept.get(question);
    if (known && (known.doneAt === undefined || performance.now() - known.doneAt < sameAnswerMs)) return known.result;
    const all = [...this.open.values()].reduce((sum, count) => sum + count, 0);
    if (this.open.has(user)) throw tooMany('You already have a check running; wait for it to finish.', 10);
    if (all >= maxWaiting) throw tooMany('Too many checks are waiting; try again later.', 30);
    this.open.set(user, 1);
    const result = this.last.then(() =>
      work((step) => {
        kept.step = step;
      }),
    );
    this.last = result.catch(() => undefined);
    const kept: Kept<T> = { result, doneAt: undefined, step: 0 };
    this.kept.delete(question);
    this.kept.set(question, kept);
    result.then(
      () => {
        kept.doneAt = performance.now();
        this.open.delete(user);
      },
      () => {
        this.kept.delete(question);
        this.open.delete(user);
      },
    );
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= maxKept) break;
      this.kept.delete(oldest);
    }
    return result;
  }

  progressOf(question: string): Pick<LedgerProgress, 'state' | 'ahead' | 'step'> {
    const asked = [...this.kept];
    const at = asked.findIndex(([key]) => key === question);
    const kept = asked[at]?.[1];
    if (!kept) return { state: 'none', ahead: 0, step: 0 };
    const { step, doneAt } = kept;
    const ahead = asked.slice(0, at).filter(([, other]) => other.doneAt === undefined).length;
    return { state: doneAt !== undefined ? 'done' : step === 0 ? 'waiting' : 'running', ahead, step };
  }
}
