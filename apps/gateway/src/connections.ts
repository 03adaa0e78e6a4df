import { type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { allTopics } from '@sluice/contracts';
import { ensureTopics, type Kafka, keepTrying, type Publisher } from '@sluice/kafka';
import { type Health } from '@sluice/service';
import { ensureSourcesTopic, type SourceReader } from '@sluice/sources';
import { type GatewayConfig } from './config.js';

interface Parts {
  kafka: Kafka;
  config: GatewayConfig;
  publisher: Publisher;
  sources: SourceReader;
}

/** What ties the gateway to Kafka. The port does not wait for it to be there; it is let go after the last answer. */
export class Connections implements OnModuleInit, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private isPublishing = false;

  constructor(
    private readonly parts: Parts,
    health: Health,
  ) {
    const { sources } = parts;
    health.ready.set('sources', () => {
      if (!sources.isComplete) throw new Error('no registry of sources is known yet');
      return { from: sources.origin };
    });
    health.ready.set('publisher', () => {
      if (!this.isPublishing) throw new Error('Kafka was not reached yet');
      return {};
    });
  }

  /** Resolves when the snapshot of the sources is read; with one, the first request already finds them. */
  async onModuleInit(): Promise<void> {
    const { kafka, config, publisher, sources } = this.parts;
    await sources.follow();
    void keepTrying(
      'connecting to Kafka',
      async () => {
        await ensureTopics(kafka, config, allTopics);
        await ensureSourcesTopic(kafka, config);
        await publisher.start();
        this.isPublishing = true;
      },
      this.stopping.signal,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.parts.publisher.stop(), this.parts.sources.stop()]);
  }
}
