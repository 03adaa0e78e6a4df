import { type ClickHouseClient } from '@clickhouse/client';
import { type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { systemTopics } from '@sluice/contracts';
import { ensureTopics, type Kafka, keepTrying } from '@sluice/kafka';
import {
  type Audit,
  type ConsoleReader,
  type ConsoleWriter,
  ensureConsoleTopic,
  ensureErasuresTopic,
  type ErasureStore,
} from '@sluice/operations';
import { type Health } from '@sluice/service';
import { ensurePlansTopic, type PlanReader } from '@sluice/plans';
import { ensureSourcesTopic, type SourceReader } from '@sluice/sources';
import { type ConsoleConfig } from './config.js';

interface Parts {
  kafka: Kafka;
  config: ConsoleConfig;
  reader: ConsoleReader;
  writer: ConsoleWriter;
  sources: SourceReader;
  plans: PlanReader;
  erasures: ErasureStore;
  audit: Audit;
  clickhouse: ClickHouseClient;
}

/** Connects the console. The port opens without waiting for any server: the pages say which server is unreachable. */
export class Connections implements OnModuleInit, OnApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly parts: Parts,
    health: Health,
  ) {
    health.ready.set('users', () => {
      if (!parts.reader.isComplete) throw new Error('console.v1 is not read yet');
      return {};
    });
  }

  onModuleInit(): void {
    const { kafka, config, reader, sources, plans, erasures } = this.parts;
    const begin = async (): Promise<void> => {
      await ensureConsoleTopic(kafka, config);
      await ensureSourcesTopic(kafka, config);
      await ensurePlansTopic(kafka, config);
      await ensureErasuresTopic(kafka, config);
      await ensureTopics(kafka, config, systemTopics);
      reader.follow();
      erasures.follow();
      await Promise.all([sources.follow(), plans.follow()]);
    };
    void keepTrying('connecting the console', begin, this.stopping.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const { clickhouse, reader, writer, sources, plans, erasures, audit } = this.parts;
    const stopping = [reader, writer, sources, plans, erasures, audit].map((part) => part.stop());
    await Promise.all([...stopping, clickhouse.close()]);
  }
}
