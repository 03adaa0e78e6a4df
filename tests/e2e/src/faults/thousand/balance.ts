import { setTimeout as sleep } from 'node:timers/promises';
import { describeMissing } from './missing.js';
import { type Stage } from './stage.js';
import { faultSource, type Stream, type StreamName, streams } from './stream.js';

/** Acknowledged and stored messages of a stream. */
export interface StreamBalance {
  readonly stream: Stream;
  readonly acknowledged: number;
  /** Raw rows of a table that only appends, or entities of a table that merges. */
  readonly stored: number;
  readonly missing: number;
  /** Permanently destroyed messages that the service reported. */
  readonly reported: number;
  /** Missing messages of a deleted topic that are not reported, because no consumer had seen them. */
  readonly unseen: number;
  readonly doubled: number;
}

/** Number of messages by which the loss differs from its report. */
export const countLost = ({ missing, reported, unseen }: StreamBalance): number =>
  Math.abs(missing - reported - unseen);

const pollMs = 300;
const drainMs = 240_000;
/** Time in which late duplicates can still be stored. */
const lateMs = 1_500;

/** Counts the messages of each window; a window begins where the last one ended. */
export class Balances {
  private readonly from = new Map(streams.map(({ name }) => [name, 0]));
  private before = new Map<StreamName, number>();
  /** Unseen messages of all windows that have ended. */
  private readonly unseen = new Map<StreamName, number>();
  private readonly startedAt = new Date().toISOString().slice(0, -1);

  constructor(private readonly stage: Stage) {}

  /** Waits until everything is stored, at most `drainMs`. Pause the load first. */
  async settle(): Promise<StreamBalance[]> {
    const deadline = Date.now() + drainMs;
    let balances = await this.read();
    while (balances.some((balance) => balance.missing > balance.reported + balance.unseen) && Date.now() < deadline) {
      await sleep(pollMs);
      balances = await this.read();
    }
    await sleep(lateMs);
    balances = await this.read();
    for (const { stream, missing, reported, unseen } of balances) {
      if (missing <= reported + unseen) continue;
      // ClickHouse or Kafka may still be unreachable: that must not end the run.
      console.log(await describeMissing(this.stage, stream, this.from.get(stream.name) ?? 0).catch(String));
    }
    for (const { stream, unseen } of balances) this.unseen.set(stream.name, this.countUnseen(stream.name) + unseen);
    this.before = new Map(streams.map(({ name }) => [name, this.countReported(name)]));
    for (const stream of streams) this.from.set(stream.name, this.stage.load.sentCount(stream));
    return balances;
  }

  private read(): Promise<StreamBalance[]> {
    return Promise.all(
      streams.map(async (stream) => {
        const [from, before] = [this.from.get(stream.name) ?? 0, this.before.get(stream.name)];
        const to = this.stage.deletedBefore.get(stream.name) ?? from;
        const balance = await this.measure(stream, from, before);
        if (to <= from) return balance;
        const { unique } = await this.countRows(stream, from, to);
        return { ...balance, unseen: Math.max(0, to - from - unique - balance.reported) };
      }),
    );
  }

  private countUnseen(name: StreamName): number {
    return this.unseen.get(name) ?? 0;
  }

  private countReported(name: StreamName): number {
    return this.stage.reportedMissing.get(name) ?? 0;
  }

  private async measure(stream: Stream, from: number, before = 0): Promise<StreamBalance> {
    const to = this.stage.load.sentCount(stream);
    const { stored, unique } = await this.countRows(stream, from, to);
    return {
      stream,
      acknowledged: to - from,
      stored,
      missing: to - from - unique,
      reported: this.countReported(stream.name) - before,
      unseen: 0,
      doubled: stored - unique,
    };
  }

  /** Counts the rows of the messages `from` up to, but not including, `to`. */
  private async countRows(stream: Stream, from: number, to: number): Promise<{ stored: number; unique: number }> {
    const { countedTable, idColumn, makeId, timeColumn } = stream;
    const query = `SELECT count() AS stored, uniqExact(${idColumn}) AS unique FROM ${countedTable}
      WHERE source_id = '${faultSource}'${timeColumn ? ` AND ${timeColumn} >= '${this.startedAt}'` : ''} AND ${idColumn} >= '${makeId(from)}' AND ${idColumn} < '${makeId(to)}'`;
    const rows = await this.stage.ledger.select<{ stored: string; unique: string }>(query).catch(() => []);
    return { stored: Number(rows[0]?.stored ?? 0), unique: Number(rows[0]?.unique ?? 0) };
  }

  /** Counts the whole run from its first message, because stored rows must not vanish or double later. */
  whole(): Promise<StreamBalance[]> {
    return Promise.all(
      streams.map(async (stream) => ({ ...(await this.measure(stream, 0)), unseen: this.countUnseen(stream.name) })),
    );
  }
}
