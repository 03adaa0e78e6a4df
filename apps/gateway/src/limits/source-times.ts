import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from '@sluice/service';

/** Upper bound of sources with times of their own; later sources share one. */
const maxSources = 2_000;
const otherLabel = 'other';
/** If a source's small bodies take longer than this on average (ms), they are treated like large ones. */
const costlyMs = 2;
/** If they take at most this on average (ms), they are treated like small ones again. */
const cheapMs = 1;
const latestWeight = 0.2;
const lookMs = 10_000;
/** Share of time from which a waiting source is logged as greedy. */
const greedyPart = 1 / 4;

interface Times {
  busyMs: number;
  waitedMs: number;
  /** Average time that a small body takes. */
  smallMs: number;
  isCostly: boolean;
  /** The sums at the last look for greedy sources. */
  lastLook: { busyMs: number; waitedMs: number };
}

/** Counts how long requests of each source keep the processor busy and wait for it, and names greedy sources. */
@Injectable()
export class SourceTimes {
  private readonly logger = new Logger(SourceTimes.name);
  private readonly bySource = new Map<string, Times>();

  constructor(@Inject(Registry) registry: Registry) {
    const timesBySource = this.bySource;
    const registers = [registry];
    const labelNames = ['source'] as const;
    new Counter({
      name: 'sluice_gateway_source_busy_seconds_total',
      help: 'Time for which requests kept the processor busy, by source',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [source, { busyMs }] of timesBySource) this.inc({ source }, busyMs / 1_000);
      },
    });
    new Counter({
      name: 'sluice_gateway_source_waiting_seconds_total',
      help: 'Time for which requests waited for the processor because it was busy, by source',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [source, { waitedMs }] of timesBySource) this.inc({ source }, waitedMs / 1_000);
      },
    });
    setInterval(() => this.logGreedySources(), lookMs).unref();
  }

  add(source: string, ms: number, waitedMs: number, isSmallBody: boolean): void {
    const times = this.timesFor(source);
    times.busyMs += ms;
    times.waitedMs += waitedMs;
    if (!isSmallBody) return;
    times.smallMs += latestWeight * (ms - times.smallMs);
    times.isCostly = times.smallMs > (times.isCostly ? cheapMs : costlyMs);
  }

  /** Whether the source's small bodies take so long that they share the time of large ones. */
  isCostly(source: string): boolean {
    return this.bySource.get(source)?.isCostly ?? false;
  }

  /** Writes a line for each source that takes much of the time and has to wait for more. Must be called regularly. */
  logGreedySources(passedMs = lookMs): void {
    for (const [source, times] of this.bySource) {
      const { busyMs, waitedMs, lastLook } = times;
      const [busy, waited] = [busyMs - lastLook.busyMs, waitedMs - lastLook.waitedMs];
      times.lastLook = { busyMs, waitedMs };
      if (busy < greedyPart * passedMs || waited < passedMs) continue;
      const busyPercent = Math.round((100 * busy) / passedMs);
      this.logger.warn({ msg: 'a source takes much of the time, and its requests wait', source, busyPercent });
    }
  }

  private timesFor(source: string): Times {
    const existing = this.bySource.get(source);
    if (existing) return existing;
    if (this.bySource.size >= maxSources && source !== otherLabel) return this.timesFor(otherLabel);
    const newTimes = { busyMs: 0, waitedMs: 0, smallMs: 0, isCostly: false, lastLook: { busyMs: 0, waitedMs: 0 } };
    this.bySource.set(source, newTimes);
    return newTimes;
  }
}
