/**
 * Why a message may be missing: `young` was made less than a second before its whole browser was killed; `behind` after
 * the last write of the control that the browser completed before it was killed; `full` while its device had no room, or
 * after the last write of the control before that; `memory` was only in the memory of a client that was killed.
 */
export const risks = ['young', 'behind', 'full', 'memory'] as const;

export type Risk = (typeof risks)[number] | 'none';

interface Taken {
  readonly device: number;
  readonly at: number;
  risk: Risk;
}

type Stored = ReadonlyMap<string, ReadonlySet<number>>;

const youngMs = 1_000;

/** Messages that `track` reported as taken, by tab and number. A tab that is killed may have taken more. */
export class Books {
  readonly tabs = new Map<string, Map<number, Taken>>();
  readonly reports = new Map<string, number>();
  private readonly controls = new Map<number, number>();
  private readonly faults: { readonly device: number; readonly name: string; readonly at: number }[] = [];

  took(device: number, tab: string, numbers: readonly number[], time: number, risk: Risk = 'none'): void {
    const takenInTab = this.tabs.get(tab) ?? new Map<number, Taken>();
    this.tabs.set(tab, takenInTab);
    for (const number of numbers) takenInTab.set(number, { device, at: time, risk });
  }

  /** Notes a loss of messages that an SDK reported to errorHandler. */
  lossReported(code: string, count: number): void {
    if (count > 0) this.reports.set(code, (this.reports.get(code) ?? 0) + count);
  }

  /** Notes a fault that a device met. */
  faultMet(device: number, name: string): void {
    this.faults.push({ device, name, at: Date.now() });
  }

  /** Notes when a completed write of a browser's control began: it shows how far IndexedDB is behind. */
  controlWritten(device: number, time: number): void {
    this.controls.set(device, Math.max(time, this.controls.get(device) ?? 0));
  }

  browserKilled(device: number, time: number): void {
    const writtenAt = this.controls.get(device) ?? Infinity;
    for (const message of this.allMessages()) {
      if (message.device !== device || message.risk !== 'none') continue;
      if (message.at > time - youngMs) message.risk = 'young';
      else if (message.at > writtenAt) message.risk = 'behind';
    }
  }

  /** Notes that a device has no room: messages that its browser has not written yet are refused, too. */
  filledUp(device: number): void {
    const writtenAt = this.controls.get(device) ?? Infinity;
    for (const message of this.allMessages()) {
      if (message.device === device && message.risk === 'none' && message.at > writtenAt) message.risk = 'full';
    }
  }

  get taken(): number {
    return this.allMessages().length;
  }

  /** Sum of the losses that were reported. */
  get reported(): number {
    return [...this.reports.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Counts the messages of each risk that are not stored. */
  missing(stored: Stored): Record<Risk, number> {
    const counts = { none: 0, young: 0, behind: 0, full: 0, memory: 0 };
    for (const [tab, numbers] of this.tabs) {
      for (const [number, { risk }] of numbers) if (!stored.get(tab)?.has(number)) counts[risk]++;
    }
    return counts;
  }

  /**
   * Stored messages that nobody noted, because their process was killed between `track` and the note: of all tabs, and
   * of the tab that has the maximum. Numbers have no gaps, so a kill explains one, the next after the last note.
   */
  unnoted(stored: Stored): { readonly all: number; readonly max: number } {
    const counts = [...stored].map(([tab, numbers]) => {
      const noted = this.tabs.get(tab);
      return [...numbers].filter((number) => !noted?.has(number)).length;
    });
    return { all: counts.reduce((sum, count) => sum + count, 0), max: Math.max(0, ...counts) };
  }

  /** A line for each message that is not stored though it should be, with what its device met at that time. */
  lost(stored: Stored): string[] {
    return [...this.tabs].flatMap(([tab, numbers]) =>
      [...numbers].flatMap(([number, { device, at, risk }]) => {
        if (risk !== 'none' || stored.get(tab)?.has(number)) return [];
        const met = this.faultsNear(device, at).join(', ');
        return [`lost: number ${number} of ${numbers.size}, of which ${stored.get(tab)?.size ?? 0} are stored; ${met}`];
      }),
    );
  }

  private faultsNear(device: number, time: number): string[] {
    return this.faults
      .filter((fault) => fault.device === device && fault.at > time - 2_000 && fault.at < time + 5_000)
      .map(({ name, at }) => `${name} ${at - time} ms`);
  }

  private allMessages(): Taken[] {
    return [...this.tabs.values()].flatMap((numbers) => [...numbers.values()]);
  }
}
