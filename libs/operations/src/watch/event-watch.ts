import { type ChangeKind } from '@sluice/console-api';
import { type ClickHouseConfig } from '@sluice/clickhouse';
import { changeKey, type EventChange, type Finding, foldHour, hourMs } from './changes.js';
import { explainChange } from './explain-change.js';
import { judgeEvents } from './judge-events.js';
import { judgeProperty } from './judge-properties.js';
import { judgeShare } from './judge-shares.js';
import { neededHours } from './series.js';
import { type TimeSpan, WatchStore } from './watch-store.js';

/** An hour is judged this long after its end: what arrived in it is stored by then. */
export const runDelayMs = 3 * 60_000;
const dayHours = 24;
/** Time by which looks at late rows overlap: an INSERT becomes visible up to two minutes after the time of its rows. */
const overlapMs = 300_000;
/** Hours with which properties of an hour are compared: the same hour of the days and weeks before. */
const propertyDays = [1, 2, 3, 4, 5, 6, 7, 14, 21, 28];

export interface WatchRun {
  readonly hour: number;
  readonly judged: number;
  readonly unknown: number;
  readonly opened: readonly EventChange[];
  readonly updated: readonly EventChange[];
  readonly tookMs: number;
}

/**
 * Watches what arrives: once an hour it counts the new hour and judges it (docs/decisions/0113-event-watch.md). Several
 * processes may each have one: a claim in ClickHouse gives the hour to one of them, and an hour that is judged twice all
 * the same has the same rows.
 */
export class EventWatch {
  private readonly stores: readonly WatchStore[];

  /** @param runner name of the process */
  constructor(
    config: ClickHouseConfig,
    private readonly runner: string,
  ) {
    // Each shard has all of the tables of the watch, and reads the events of all shards.
    const urls = config.CLICKHOUSE_SHARDS ? [...config.CLICKHOUSE_SHARDS.values()] : [config.CLICKHOUSE_URL];
    this.stores = urls.map((CLICKHOUSE_URL) => new WatchStore({ ...config, CLICKHOUSE_URL }));
  }

  /** Ends the statement of a run at once; the run is repeated by another process. */
  async stop(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }

  /** Numbers of open changes by kind, without muted ones. */
  countChanges(): Promise<Map<ChangeKind, number>> {
    return this.first.countChanges();
  }

  /** End of the last hour that was judged by any process, milliseconds since 1970; 0 without one. */
  async readLastHour(): Promise<number> {
    const run = await this.first.readLastRun();
    return run ? run.hour + hourMs : 0;
  }

  /**
   * Judges the last whole hour. Undefined if that is done, or another process does it.
   * @param now milliseconds since 1970
   */
  async run(now: number): Promise<WatchRun | undefined> {
    const hourEnd = Math.floor((now - runDelayMs) / hourMs) * hourMs;
    const hour = hourEnd - hourMs;
    const last = await this.first.readLastRun();
    if ((last && last.hour >= hour) || !(await this.first.claimRun(hour, this.runner))) return undefined;
    for (const store of this.stores.slice(1)) await store.writeClaim(hour, this.runner);
    return this.judgeHour(hour, last);
  }

  /**
   * Judges a whole hour again, with what was stored since, whoever has done it.
   * @param hourEnd its end, milliseconds since 1970
   */
  async judgeAgain(hourEnd: number): Promise<WatchRun> {
    const last = await this.first.readLastRun();
    for (const store of this.stores) await store.writeClaim(hourEnd - hourMs, this.runner);
    return this.judgeHour(hourEnd - hourMs, last);
  }

  private async judgeHour(hour: number, last: { hour: number; claimed: number } | undefined): Promise<WatchRun> {
    const hourEnd = hour + hourMs;
    const startedAt = performance.now();
    const spans = await this.findSpans(last, hourEnd);
    for (const store of this.stores) for (const span of spans) await store.countHours(span);
    // How many messages are looked at follows from the counts, which each shard reads of its own.
    for (const store of this.stores) await store.countProperties(hour);
    const judgement = await this.judge(hour);
    for (const store of this.stores) await store.writeChanges([...judgement.opened, ...judgement.updated]);
    const tookMs = Math.round(performance.now() - startedAt);
    const { judged, unknown } = judgement;
    for (const store of this.stores) await store.finishRun(hour, this.runner, { tookMs, judged, unknown });
    return { hour, tookMs, ...judgement };
  }

  private get first(): WatchStore {
    const [store] = this.stores;
    if (!store) throw new Error('no ClickHouse');
    return store;
  }

  /** Hours to count: the hours since the last run, and earlier hours with rows that were stored since. */
  private async findSpans(last: { hour: number; claimed: number } | undefined, hourEnd: number): Promise<TimeSpan[]> {
    const oldest = hourEnd - neededHours * hourMs;
    const countedUntil = Math.max(oldest, last ? last.hour + hourMs : 0);
    const late = last
      ? await this.first.readLateHours(last.claimed - overlapMs, { from: oldest, until: countedUntil })
      : [];
    const hours = [...late];
    for (let hour = countedUntil; hour < hourEnd; hour += hourMs) hours.push(hour);
    return joinHours(hours);
  }

  private async judge(hour: number): Promise<Omit<WatchRun, 'hour' | 'tookMs'>> {
    const hourEnd = hour + hourMs;
    const series = await this.first.readEvents(hourEnd);
    const events = judgeEvents(series);
    const findings: Finding[] = [...events.findings];
    const well = new Set<string>();
    const open = await this.first.readOpenChanges();
    for (const [key, { source, event, kind }] of open)
      if ((kind === 'stopped' || kind === 'fell') && events.well.has(`${source} ${event}`)) well.add(key);
    const ofEvents = await this.first.readRefusedEvents(hourEnd);
    for (const shares of [...(await this.first.readShares(hourEnd)), ...ofEvents]) {
      const verdict = judgeShare(shares);
      if (verdict === 'well') well.add(changeKey({ ...shares, property: '' }));
      else if (typeof verdict !== 'string') findings.push(verdict);
    }
    const hoursBefore = propertyDays.map((days) => hour - days * dayHours * hourMs);
    for (const property of await this.first.readProperties(hour, hoursBefore)) {
      const verdict = judgeProperty(property);
      if (verdict === 'well')
        for (const kind of ['type', 'vanished'] as const) well.add(changeKey({ ...property, kind }));
      else if (verdict !== 'unknown') findings.push(verdict);
    }
    const { opened, updated } = foldHour(open, findings, well, hourEnd);
    const explained: EventChange[] = [];
    for (const change of opened) explained.push({ ...change, since: await this.explain(change) });
    return { judged: series.length, unknown: events.unknown.size, opened: explained, updated };
  }

  private async explain(change: EventChange): Promise<string> {
    return change.kind === 'refused' || change.kind === 'clock'
      ? ''
      : explainChange(await this.first.readValues(change));
  }
}

/** Joins hours that follow each other, up to a day: each span is one statement. */
function joinHours(hours: readonly number[]): TimeSpan[] {
  const spans: { from: number; until: number }[] = [];
  for (const hour of [...new Set(hours)].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last?.until === hour && hour - last.from < dayHours * hourMs) last.until = hour + hourMs;
    else spans.push({ from: hour, until: hour + hourMs });
  }
  return spans;
}
