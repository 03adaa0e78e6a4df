import { type ClickHouseConfig } from '@sluice/clickhouse';
import { CanaryStore, type KnownFault, nameProbe } from './canary-store.js';
import { judgeableMs, judgeSeries, noTotals } from './judge-series.js';

/** Time back to which a look asks which series have new probes. */
const lookBackMs = 3_600_000;

/**
 * Judges the probes of all gateways: docs/decisions/0114-canary.md. Several processes may each have one: what one says
 * of a probe does not depend on when it looks, and every row is replaced by its key.
 */
export class CanaryJudge {
  private readonly stores: readonly CanaryStore[];
  private hasLooked = false;

  /** @param settledMs time that probes must have been stored for, so that all replicas have them */
  constructor(
    config: ClickHouseConfig,
    private readonly settledMs: number,
  ) {
    // Each shard has all totals and faults, and reads the probes of all shards.
    const urls = config.CLICKHOUSE_SHARDS ? [...config.CLICKHOUSE_SHARDS.values()] : [config.CLICKHOUSE_URL];
    this.stores = urls.map((CLICKHOUSE_URL) => new CanaryStore({ ...config, CLICKHOUSE_URL }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }

  /** @param now milliseconds since 1970 */
  async judge(now: number): Promise<void> {
    const store = this.first;
    const knownFaults = new Map(
      (await store.readFaults()).map((fault) => [`${nameProbe(fault)} ${fault.kind}`, fault]),
    );
    const faults: KnownFault[] = [];
    const add = (fault: Omit<KnownFault, 'found' | 'arrived'>): void => {
      if (knownFaults.has(`${nameProbe(fault)} ${fault.kind}`)) return;
      faults.push({ ...fault, found: now, arrived: 0 });
    };
    // The first look finds what was stored while nobody judged.
    const series = await store.readSeries(now - this.settledMs - (this.hasLooked ? lookBackMs : judgeableMs));
    const totals = series.length === 0 ? new Map<string, never>() : await store.readTotals(series);
    for (const name of series) {
      const before = totals.get(name) ?? noTotals(name);
      const probes = await store.readProbes(name, before.judgedUpTo, this.settledMs);
      const judgement = judgeSeries(before, probes, now);
      if (!judgement) continue;
      for (const fault of judgement.faults) add({ series: name, ...fault });
      // Faults first: a process that dies in between finds them again, and they have the same keys.
      await this.writeFaults(faults.splice(0));
      for (const shard of this.stores) await shard.writeTotals(judgement.totals);
    }
    for (const fault of await store.readDoubled()) add(fault);
    await this.writeFaults([...faults, ...(await this.findArrived([...knownFaults.values()], now))]);
    this.hasLooked = true;
  }

  /** Lost probes that have arrived after all, such as dead letters that were sent again. */
  private async findArrived(faults: readonly KnownFault[], now: number): Promise<KnownFault[]> {
    const missing = faults.filter(
      (fault) => fault.kind === 'lost' && fault.arrived === 0 && now - fault.found < judgeableMs,
    );
    if (missing.length === 0) return [];
    const arrivals = await this.first.readArrived(missing.slice(0, 1_000));
    return missing.flatMap((fault) => {
      const arrived = arrivals.get(nameProbe(fault));
      return arrived === undefined ? [] : [{ ...fault, arrived }];
    });
  }

  private async writeFaults(faults: readonly KnownFault[]): Promise<void> {
    for (const store of this.stores) await store.writeFaults(faults);
  }

  private get first(): CanaryStore {
    const [store] = this.stores;
    if (!store) throw new Error('no ClickHouse');
    return store;
  }
}
