import { setTimeout as sleep } from 'node:timers/promises';
import { type TopicIdMap } from '../logs/log-ends.js';
import { Standstill } from './standstill.js';

const pauseMs = 500;

export interface RecreationEvents {
  /** Called when a standstill has been noticed, before Kafka is asked. */
  readonly onAsking: () => void;
  /** Called with the ids of the topics. */
  readonly onAnswered: (ids: TopicIdMap) => void;
}

/** Asks Kafka, after each standstill of the process, for the ids of topics that may have been recreated during it. */
export class RecreationCheck {
  private readonly standstill = new Standstill();
  private isAsking = false;

  constructor(
    /** Reads the ids; none when Kafka cannot be asked. */
    private readonly readIds: () => Promise<TopicIdMap>,
    /** True when this Kafka has given ids before. */
    private readonly hasGivenIds: () => boolean,
    private readonly events: RecreationEvents,
  ) {}

  start(): void {
    this.standstill.start();
  }

  stop(): void {
    this.standstill.stop();
  }

  /**
   * True from a standstill until Kafka has answered: what was fetched may be of another log. Asks at the first call after
   * the standstill.
   */
  checkUnsure(): boolean {
    if (!this.isAsking && this.standstill.hasBegun) void this.ask();
    return this.isAsking;
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    this.events.onAsking();
    const ids = await this.askUntilAnswered();
    this.standstill.forget();
    this.isAsking = false;
    this.events.onAnswered(ids);
  }

  /** Asks until Kafka answers with ids; only once if it has never given any, as old versions do not. */
  private async askUntilAnswered(): Promise<TopicIdMap> {
    for (;;) {
      const ids = await this.readIds();
      if (ids.size > 0 || !this.hasGivenIds()) return ids;
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
}
