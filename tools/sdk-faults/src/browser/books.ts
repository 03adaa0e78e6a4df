/** Whether a message may be missing: `young` was made less than a second before its whole browser was killed, `full` while its device had no room. */
export type Risk = 'none' | 'young' | 'full';

interface Taken {
  readonly device: number;
  readonly at: number;
  risk: Risk;
}

const youngMs = 1_000;

/** Messages of which `track` said that they are taken, by tab and number. A tab that is killed may have taken more. */
export class Books {
  readonly tabs = new Map<string, Map<number, Taken>>();
  readonly reports = new Map<string, number>();

  took(device: number, tab: string, numbers: readonly number[], at: number, isFull: boolean): void {
    const known = this.tabs.get(tab) ?? new Map<number, Taken>();
    this.tabs.set(tab, known);
    for (const number of numbers) known.set(number, { device, at, risk: isFull ? 'full' : 'none' });
  }

  told(code: string, count: number): void {
    if (count > 0) this.reports.set(code, (this.reports.get(code) ?? 0) + count);
  }

  browserKilled(device: number, at: number): void {
    for (const taken of this.all()) {
      if (taken.device === device && taken.at > at - youngMs && taken.risk === 'none') taken.risk = 'young';
    }
  }

  get taken(): number {
    return this.all().length;
  }

  get reported(): number {
    return [...this.reports.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How many of each risk are not stored. */
  missing(stored: ReadonlyMap<string, ReadonlySet<number>>): Record<Risk, number> {
    const counts = { none: 0, young: 0, full: 0 };
    for (const [tab, numbers] of this.tabs) {
      for (const [number, { risk }] of numbers) if (!stored.get(tab)?.has(number)) counts[risk]++;
    }
    return counts;
  }

  private all(): Taken[] {
    return [...this.tabs.values()].flatMap((numbers) => [...numbers.values()]);
  }
}
