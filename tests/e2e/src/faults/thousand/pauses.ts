import { type Stage } from './stage.js';
import { faultSource, type StreamName, requireStream } from './stream.js';

const stepMs = 250;

/** Longest time from Kafka to the table, for each quarter of a second of Kafka timestamps. */
export class Pauses {
  private constructor(private readonly steps: ReadonlyMap<number, number>) {}

  static async measure(stage: Stage, names: readonly StreamName[], from: number, to: number): Promise<Pauses> {
    const steps = new Map<number, number>();
    for (const name of names) {
      const { table } = requireStream(name);
      const rows = await stage.ledger.select<{ step: string; waited: string }>(
        `SELECT intDiv(toUnixTimestamp64Milli(kafka_timestamp), ${stepMs}) AS step,
           max(toUnixTimestamp64Milli(stored_at) - toUnixTimestamp64Milli(kafka_timestamp)) AS waited
         FROM ${table} WHERE source_id = '${faultSource}' AND kafka_timestamp >= fromUnixTimestamp64Milli(${from})
           AND kafka_timestamp <= fromUnixTimestamp64Milli(${to}) GROUP BY step`,
      );
      for (const { step, waited } of rows) {
        steps.set(Number(step), Math.max(steps.get(Number(step)) ?? 0, Number(waited)));
      }
    }
    return new Pauses(steps);
  }

  /** Longest wait, in milliseconds, of the messages that Kafka received in this period. */
  longest(from: number, to: number): number {
    let longest = 0;
    for (const [step, waited] of this.steps) {
      const time = step * stepMs;
      if (time >= from - stepMs && time <= to) longest = Math.max(longest, waited);
    }
    return longest;
  }
}
