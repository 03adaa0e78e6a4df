/** The acknowledgements of one partition since the last look at the id of its topic. */
interface Run {
  /** The first acknowledged offset. */
  readonly from: number;
  /** The offset after the last one of the log that the run began in. */
  end: number;
  /** The same of the log that came after it; undefined while offsets have not gone back. */
  anew: number | undefined;
}

/** A log and the offsets after the last acknowledged messages, by partition. */
export interface AcknowledgedEnds {
  readonly id: string;
  readonly ends: ReadonlyMap<number, number>;
}

/**
 * The acknowledged ends of a topic. Kafka's acknowledgement does not name the log that took the messages, so each counts
 * when a later look has told the id of the topic.
 */
export class AcknowledgedLog {
  private id: string | undefined;
  private ends = new Map<number, number>();
  /** Acknowledgements since the last look began, by partition. */
  private latest = new Map<number, Run>();
  /** Acknowledgements before the present look. */
  private earlier = new Map<number, Run>();

  /** Takes an acknowledgement: offsets from `from` up to, but not including, `end`. */
  take(partition: number, from: number, end: number): void {
    addTo(this.latest, partition, from, end);
  }

  /** Begins a look at the topic's id. The answer may be of any time after this call. */
  look(): void {
    for (const [partition, { from, end, anew }] of this.latest) {
      addTo(this.earlier, partition, from, end);
      if (anew !== undefined) addTo(this.earlier, partition, 0, anew);
    }
    this.latest = new Map();
  }

  /** True when the answer is another id, so that it must be decided which log took what was acknowledged meanwhile. */
  mustDecide(id: string | undefined): boolean {
    return id !== undefined && this.id !== undefined && id !== this.id && this.earlier.size > 0;
  }

  /**
   * Takes the answer of a look: the topic's id, undefined when there is no such topic.
   * @param highs the present ends of the topic's partitions, if `mustDecide`
   * @returns the logs whose ends have changed: the former one, which is complete now, and the present one
   */
  answer(id: string | undefined, highs: ReadonlyMap<number, number> = new Map()): AcknowledgedEnds[] {
    const { earlier } = this;
    if (earlier.size === 0 && (id === undefined || id === this.id)) return [];
    this.earlier = new Map();
    if (id === undefined || id === this.id) return this.sameLog(earlier, id === undefined);
    const former = this.id === undefined ? [] : this.formerLog(earlier, highs);
    this.id = id;
    this.ends = new Map();
    return [...former, ...this.sameLog(earlier, false)];
  }

  /** @param isGone true when the topic is deleted: what began anew stays for the next log */
  private sameLog(runs: ReadonlyMap<number, Run>, isGone: boolean): AcknowledgedEnds[] {
    const { id, ends } = this;
    let hasChanged = false;
    for (const [partition, run] of runs) {
      const known = ends.get(partition) ?? 0;
      const isNext = isGone && (id === undefined || run.from < known);
      if (isNext) this.earlier.set(partition, run);
      else if (isGone && run.anew !== undefined) addTo(this.earlier, partition, 0, run.anew);
      const end = isNext ? known : Math.max(run.end, (isGone ? undefined : run.anew) ?? 0);
      if (end <= known) continue;
      ends.set(partition, end);
      hasChanged = true;
    }
    return hasChanged && id !== undefined ? [{ id, ends: new Map(ends) }] : [];
  }

  /** Gives the former log what continues it or lies beyond the next one, to which it leaves the rest of the runs. */
  private formerLog(runs: Map<number, Run>, highs: ReadonlyMap<number, number>): AcknowledgedEnds[] {
    const { id, ends } = this;
    let hasChanged = false;
    for (const [partition, { from, end, anew }] of runs) {
      const known = ends.get(partition);
      const isBeyond = end > (highs.get(partition) ?? Infinity);
      const continues = known === undefined ? anew !== undefined || isBeyond : from >= known;
      if (continues) {
        ends.set(partition, end);
        hasChanged = true;
      }
      if (anew !== undefined) runs.set(partition, { from: 0, end: anew, anew: undefined });
      else if (continues) runs.delete(partition);
    }
    return hasChanged && id !== undefined ? [{ id, ends: new Map(ends) }] : [];
  }
}

function addTo(runs: Map<number, Run>, partition: number, from: number, end: number): void {
  const run = runs.get(partition);
  if (!run) runs.set(partition, { from, end, anew: undefined });
  else if (run.anew !== undefined) run.anew = Math.max(run.anew, end);
  else if (from >= run.end) run.end = end;
  else run.anew = end;
}
