/**
 * Why a message may be missing: `young` was made less than a second before its whole browser was killed; `behind` after
 * the last write of the control that the browser completed before it was killed; `full` while its device had no room, or
 * after the last write of the control before that.
 */
export type Risk = 'none' | 'young' | 'behind' | 'full';

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
  private readonly controls = new Map<number, number>();
  private readonly harms: { readonly device: number; readonly name: string; readonly at: number }[] = [];

  took(device: number, tab: string, numbers: readonly number[], at: number, isFull: boolean): void {
    const known = this.tabs.get(tab) ?? new Map<number, Taken>();
    this.tabs.set(tab, known);
    for (const number of numbers) known.set(number, { device, at, risk: isFull ? 'full' : 'none' });
  }

  told(code: string, count: number): void {
    if (count > 0) this.reports.set(code, (this.reports.get(code) ?? 0) + count);
  }

  /** A device was harmed. */
  harmed(device: number, name: string): void {
    this.harms.push({ device, name, at: Date.now() });
  }

  /** A browser has completed a write that its control began at this time: how far IndexedDB follows without the SDK. */
  controlWritten(device: number, at: number): void {
    this.controls.set(device, Math.max(at, this.controls.get(device) ?? 0));
  }

  browserKilled(device: number, at: number): void {
    const written = this.controls.get(device) ?? Infinity;
    for (const taken of this.all()) {
      if (taken.device !== device || taken.risk !== 'none') continue;
      if (taken.at > at - youngMs) taken.risk = 'young';
      else if (taken.at > written) taken.risk = 'behind';
    }
  }

  /** A device has no room any more: what its browser has not written yet is refused, too. */
  filledUp(device: number): void {
    const written = this.controls.get(device) ?? Infinity;
    for (const taken of this.all()) {
      if (taken.device === device && taken.risk === 'none' && taken.at > written) taken.risk = 'full';
    }
  }

  get taken(): number {
    return this.all().length;
  }

  get reported(): number {
    return [...this.reports.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Counts the messages of each risk that are not stored. */
  missing(stored: ReadonlyMap<string, ReadonlySet<number>>): Record<Risk, number> {
    const counts = { none: 0, young: 0, behind: 0, full: 0 };
    for (const [tab, numbers] of this.tabs) {
      for (const [number, { risk }] of numbers) if (!stored.get(tab)?.has(number)) counts[risk]++;
    }
    return counts;
  }

  /**
   * Stored messages that nobody noted, because their process was killed between `track` and the note: of all tabs, and
   * of the tab that has most. Numbers have no gaps, so a kill explains one, the next after the last note.
   */
  unnoted(stored: ReadonlyMap<string, ReadonlySet<number>>): { readonly all: number; readonly most: number } {
    const counts = [...stored].map(([tab, numbers]) => {
      const noted = this.tabs.get(tab);
      return [...numbers].filter((number) => !noted?.has(number)).length;
    });
    return { all: counts.reduce((sum, count) => sum + count, 0), most: Math.max(0, ...counts) };
  }

  /** A line for each message that is not stored though it should be, with what its device met at that time. */
  lost(stored: ReadonlyMap<string, ReadonlySet<number>>): string[] {
    return [...this.tabs].flatMap(([tab, numbers]) =>
      [...numbers].flatMap(([number, { device, at, risk }]) => {
        if (risk !== 'none' || stored.get(tab)?.has(number)) return [];
        const near = this.harms.filter(
          (harm) => harm.device === device && harm.at > at - 2_000 && harm.at < at + 5_000,
        );
        const met = near.map((harm) => `${harm.name} ${harm.at - at} ms`).join(', ');
        return [`lost: number ${number} of ${numbers.size}, of which ${stored.get(tab)?.size ?? 0} are stored; ${met}`];
      }),
    );
  }

  private all(): Taken[] {
    return [...this.tabs.values()].flatMap((numbers) => [...numbers.values()]);
  }
}
