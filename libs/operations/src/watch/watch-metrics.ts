import { type ChangeKind, changeKinds } from '@sluice/console-api';
import { Gauge, type Registry } from '@sluice/service';

/** Metrics of the watch. All processes that watch export the same numbers. */
export class WatchMetrics {
  private readonly changes: Gauge<'kind'>;
  private readonly lastHour: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.changes = new Gauge({
      name: 'sluice_watch_changes',
      help: 'Changes of what arrives that last and are not muted, by kind: stopped, fell, type, vanished, refused, clock',
      labelNames: ['kind'],
      registers,
    });
    this.lastHour = new Gauge({
      name: 'sluice_watch_last_hour_timestamp_seconds',
      help: 'End of the last hour that the watch has judged, in seconds since 1970; 0 before the first one',
      registers,
    });
  }

  /** @param lastHour milliseconds since 1970 */
  set(counts: ReadonlyMap<ChangeKind, number>, lastHour: number): void {
    for (const kind of changeKinds) this.changes.set({ kind }, counts.get(kind) ?? 0);
    this.lastHour.set(lastHour / 1_000);
  }
}
