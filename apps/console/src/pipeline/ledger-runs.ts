import { type LedgerProgress } from '@sluice/console-api';
import { tooMany } from '../http/console-error.js';

/** Time for which an answer is reused: the page asks repeatedly, and a run costs two servers some seconds. */
const sameAnswerMs = 5_000;
const maxRuns = 20;
const maxWaiting = 10;

interface LedgerRun<T> {
  readonly result: Promise<T>;
  doneAt: number | undefined;
  /** Step that runs; 0 while it waits for other runs. */
  step: number;
}

/** Runs checks one at a time. The same question during a check, or up to five seconds later, has the same answer. */
export class LedgerRuns<T> {
  private readonly runs = new Map<string, LedgerRun<T>>();
  private last: Promise<unknown> = Promise.resolve();
  /** Number of runs of each user that wait or run. */
  private readonly open = new Map<string, number>();

  /** @throws ConsoleError 429 when another run of the user is open, or too many wait. */
  run(question: string, user: string, work: (onStep: (step: number) => void) => Promise<T>): Promise<T> {
    const earlierRun = this.runs.get(question);
    if (earlierRun && (earlierRun.doneAt === undefined || performance.now() - earlierRun.doneAt < sameAnswerMs))
      return earlierRun.result;
    const openCount = [...this.open.values()].reduce((sum, count) => sum + count, 0);
    if (this.open.has(user)) throw tooMany('You already have a check running; wait for it to finish.', 10);
    if (openCount >= maxWaiting) throw tooMany('Too many checks are waiting; try again later.', 30);
    this.open.set(user, 1);
    const result = this.last.then(() =>
      work((step) => {
        run.step = step;
      }),
    );
    this.last = result.catch(() => undefined);
    const run: LedgerRun<T> = { result, doneAt: undefined, step: 0 };
    this.runs.delete(question);
    this.runs.set(question, run);
    result.then(
      () => {
        run.doneAt = performance.now();
        this.open.delete(user);
      },
      () => {
        this.runs.delete(question);
        this.open.delete(user);
      },
    );
    for (const oldest of this.runs.keys()) {
      if (this.runs.size <= maxRuns) break;
      this.runs.delete(oldest);
    }
    return result;
  }

  readProgress(question: string): Pick<LedgerProgress, 'state' | 'ahead' | 'step'> {
    const runs = [...this.runs];
    const index = runs.findIndex(([key]) => key === question);
    const run = runs[index]?.[1];
    if (!run) return { state: 'none', ahead: 0, step: 0 };
    const { step, doneAt } = run;
    const ahead = runs.slice(0, index).filter(([, earlierRun]) => earlierRun.doneAt === undefined).length;
    return { state: doneAt !== undefined ? 'done' : step === 0 ? 'waiting' : 'running', ahead, step };
  }
}
