import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { QueueLock } from '../spool/queue-lock.js';

/** The answer of a probe: 200; another one, such as 503; or none. */
export const probeOutcomes = ['accepted', 'refused', 'in_doubt'] as const;
export type ProbeOutcome = (typeof probeOutcomes)[number];

/** Numbers in a row that were not accepted. */
interface Exception {
  readonly outcome: Exclude<ProbeOutcome, 'accepted'>;
  readonly from: number;
  to: number;
  /** Accepted probes that have reported it. */
  reportedBy: number;
}

interface SeriesState {
  series: string;
  /** The last number that was given to a probe. */
  number: number;
  /** No message up to this number waits on the disk of the gateway. */
  drained: number;
  exceptions: Exception[];
}

/** The series of a probe, as the probe carries it. */
export interface ProbeProperties {
  readonly series: string;
  readonly number: number;
  readonly drained: number;
  /** Earlier numbers that were not accepted, such as `3-3,7-12`; all others were. */
  readonly refused: string;
  readonly in_doubt: string;
}

/** Accepted probes that report each exception: enough for every partition that probes of a series go to. */
const reportsNeeded = 48;
/** Max number of ranges in a probe; older ranges are joined into one range in doubt. */
const maxExceptions = 100;

/**
 * The numbers of one gateway's probes. They outlive the process, and a number is on the disk before its probe is sent: it
 * is never given twice. A new folder begins a new series with a random name.
 */
export class CanarySeries {
  private constructor(
    private readonly path: string,
    private readonly lock: QueueLock,
    private readonly state: SeriesState,
  ) {}

  /** @throws LockedError while another process has the folder; an error of the disk. */
  static async open(dataFolder: string): Promise<CanarySeries> {
    const folder = join(dataFolder, 'canary');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = QueueLock.take(folder);
    const path = join(folder, 'series.json');
    try {
      const state = (await readState(path)) ?? { series: randomUUID(), number: 0, drained: 0, exceptions: [] };
      return new CanarySeries(path, lock, state);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get number(): number {
    return this.state.number;
  }

  /**
   * Takes the next number. It counts as in doubt until it is settled.
   * @param isDrained whether no message waits on the disk of the gateway
   */
  async next(isDrained: boolean): Promise<ProbeProperties> {
    const { state } = this;
    if (isDrained) state.drained = state.number;
    const properties = {
      ...{ series: state.series, number: state.number + 1, drained: state.drained },
      ...{ refused: this.formatRanges('refused'), in_doubt: this.formatRanges('in_doubt') },
    };
    state.number += 1;
    this.addException('in_doubt', state.number);
    await this.save();
    return properties;
  }

  /** Says how the probe with the last number was answered. */
  settle(outcome: ProbeOutcome): void {
    const { state } = this;
    const last = state.exceptions.at(-1);
    if (outcome === 'in_doubt' || last?.to !== state.number) return;
    if (last.from === last.to) state.exceptions.pop();
    else last.to -= 1;
    if (outcome === 'refused') {
      this.addException('refused', state.number);
      return;
    }
    for (const exception of state.exceptions) exception.reportedBy += 1;
    state.exceptions = state.exceptions.filter(({ reportedBy }) => reportedBy < reportsNeeded);
  }

  async save(): Promise<void> {
    const temporary = `${this.path}.new`;
    await writeDurably(temporary, JSON.stringify(this.state));
    await rename(temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  close(): void {
    this.lock.release();
  }

  private addException(outcome: Exception['outcome'], number: number): void {
    const { exceptions } = this.state;
    const last = exceptions.at(-1);
    if (last?.outcome === outcome && last.to === number - 1) {
      last.to = number;
      last.reportedBy = 0;
      return;
    }
    exceptions.push({ outcome, from: number, to: number, reportedBy: 0 });
    if (exceptions.length <= maxExceptions) return;
    const [first, second] = exceptions.splice(0, 2);
    if (first && second) exceptions.unshift({ outcome: 'in_doubt', from: first.from, to: second.to, reportedBy: 0 });
  }

  private formatRanges(outcome: Exception['outcome']): string {
    const ranges = this.state.exceptions.filter((exception) => exception.outcome === outcome);
    return ranges.map(({ from, to }) => `${from}-${to}`).join(',');
  }
}

async function readState(path: string): Promise<SeriesState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const state = JSON.parse(text) as SeriesState;
    const isWhole = typeof state.series === 'string' && Number.isSafeInteger(state.number) && state.number >= 0;
    return isWhole && Number.isSafeInteger(state.drained) && Array.isArray(state.exceptions) ? state : undefined;
  } catch {
    // A damaged file begins a new series: nothing that it says can be trusted.
    return undefined;
  }
}

async function writeDurably(path: string, content: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
