import { Inject, Injectable } from '@nestjs/common';
import { Counter, Registry } from '@sluice/service';

/** Reason for which an event named `bb_notification_*` is stored as an event only. */
export type EventOnly = 'token_not_opened' | 'foreign_source' | 'registration_incomplete' | 'unknown_event';

/** Counts push events and callbacks that record no interaction. */
@Injectable()
export class PushMetrics {
  /** Unit: events. */
  readonly eventsOnly: Counter<'reason'>;
  /** Unit: requests. */
  readonly callbacksRefused: Counter<'reason'>;

  constructor(@Inject(Registry) registry: Registry) {
    const registers = [registry];
    this.eventsOnly = new Counter({
      name: 'sluice_push_events_without_interaction_total',
      help: 'Events named bb_notification_* that were stored as events only, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.callbacksRefused = new Counter({
      name: 'sluice_push_callbacks_not_recorded_total',
      help: 'Push callbacks that were refused for what they carried, by reason: token, field or prefetch',
      labelNames: ['reason'],
      registers,
    });
  }
}
