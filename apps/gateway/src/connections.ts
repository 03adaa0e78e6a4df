import { type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { allTopics } from '@sluice/contracts';
import { ensureTopics, type Kafka, keepTrying } from '@sluice/kafka';
import { type Health } from '@sluice/service';
import { ensureSourcesTopic, ensureUsageTopic, type SourceReader } from '@sluice/sources';
import { type GatewayConfig } from './config.js';
import { type UsageExchange } from './limits/usage-exchange.js';
import { type Outbox } from './spool/outbox.js';

interface Parts {
  kafka: Kafka;
  config: GatewayConfig;
  outbox: Outbox;
  sources: SourceReader;
  usage: UsageExchange;
}

/** What ties the gateway to Kafka. The port does not wait for it to be there; it is let go after the last answer. */
export class Connections implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private stopsAt = Infinity;

  constructor(
    private readonly parts: Parts,
    health: Health,
  ) {
    const { outbox, sources } = parts;
    health.ready.set('sources', () => {
      if (!sources.isComplete) throw new Error('no registry of sources is known yet');
      return { from: sources.origin };
    });
    health.ready.set('outbox', () => {
      const { unavailableReason, breaker, rows, diskFailure } = outbox.state;
      if (unavailableReason !== undefined) throw new Error(unavailableReason);
      // Still ready: Kafka takes what the disk does not.
      return { breaker, rows, ...(diskFailure !== undefined && { diskFailure }) };
    });
  }

  /** Resolves when the snapshot of the sources is read; with one, the first request already finds them. */
  async onModuleInit(): Promise<void> {
    const { kafka, config, outbox, sources, usage } = this.parts;
    const ensure = async (): Promise<void> => {
      await ensureTopics(kafka, config, allTopics);
      await ensureSourcesTopic(kafka, config);
      await ensureUsageTopic(kafka, config);
      usage.start();
    };
    void keepTrying('creating topics', ensure, this.stopping.signal);
    await Promise.all([sources.follow(), outbox.start()]);
  }

  /** A stop begins: requests end first, and what they leave of its time is the spool's. */
  onModuleDestroy(): void {
    this.stopsAt = performance.now() + this.parts.config.STOP_TIMEOUT_MS;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const { outbox, sources, usage } = this.parts;
    await Promise.all([outbox.stop(this.stopsAt - performance.now()), sources.stop(), usage.stop()]);
  }
}
