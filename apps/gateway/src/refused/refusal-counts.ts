/** Upper bound of separate counts between two reports; further sources and reasons share one count of each kind. */
const maxCounts = 1_000;

/** A number of requests of one source, kind and reason. */
export interface Counted {
  readonly source: string;
  readonly kind: string;
  readonly reason: string;
  readonly requests: number;
}

/** Counts requests by source, kind and reason. */
export class RefusalCounts {
  private counts = new Map<string, number>();

  add(source: string, kind: string, reason: string): void {
    const key = `${source}\n${kind}\n${reason}`;
    const counted = this.counts.has(key) || this.counts.size < maxCounts ? key : `\n${kind}\nother`;
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
  }

  /** Hands over all counts, and starts from zero. */
  take(): Counted[] {
    const { counts } = this;
    this.counts = new Map();
    return [...counts].map(([key, requests]) => {
      const [source = '', kind = '', reason = ''] = key.split('\n');
      return { source, kind, reason, requests };
    });
  }
}
