import { type ImportedItem } from './formats/format.js';

/** The first and last time of imported messages: a wrong time zone shows there. */
export class TimeRange {
  #first = Infinity;
  #last = -Infinity;

  /** Notes the times of items. Returns the items. */
  note(items: ImportedItem[]): ImportedItem[] {
    for (const { timestamp } of items) {
      const time = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN;
      // A comparison with NaN is false.
      if (time < this.#first) this.#first = time;
      if (time > this.#last) this.#last = time;
    }
    return items;
  }

  get range(): { firstTime: string; lastTime: string } | undefined {
    if (this.#last < this.#first) return undefined;
    return { firstTime: new Date(this.#first).toISOString(), lastTime: new Date(this.#last).toISOString() };
  }
}
