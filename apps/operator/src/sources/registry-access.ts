import { Injectable } from '@nestjs/common';
import { kafkaVariables } from '@sluice/kafka';
import { ensureSourcesTopic, SourceReader, type SourceRegistry, SourceWriter } from '@sluice/sources';
import { withKafka } from '@sluice/operations';
import { Connection } from '../connection/connection.js';

const limitMs = 8_000;

/** Opens the registry of sources for one command. */
@Injectable()
export class RegistryAccess {
  constructor(private readonly connection: Connection) {}

  /** Gives `work` the complete registry and a writer that changes it. */
  use<T>(work: (writer: SourceWriter, registry: SourceRegistry) => Promise<T> | T): Promise<T> {
    const config = this.connection.read(kafkaVariables);
    return withKafka(config, limitMs, async (kafka) => {
      await ensureSourcesTopic(kafka, config);
      const reader = new SourceReader(kafka);
      try {
        await reader.start();
        return await work(new SourceWriter(kafka, reader.registry), reader.registry);
      } finally {
        await reader.stop();
      }
    });
  }
}
