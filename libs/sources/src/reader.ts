import { type Kafka, type RecordSnapshot, RegistryFollower } from '@sluice/kafka';
import { sourcesTopic } from './records.js';
import { SourceRegistry } from './registry.js';

/** Fills a registry from `sources.v1` and keeps it current. */
export class SourceReader extends RegistryFollower<SourceRegistry> {
  /** @param snapshot read first, and kept current from then on */
  constructor(kafka: Kafka, snapshot?: RecordSnapshot) {
    super({ kafka, topic: sourcesTopic, createRegistry: () => new SourceRegistry(), snapshot });
  }

  /** Whether the registry was read. Before that, an unknown source may exist all the same. */
  get isComplete(): boolean {
    return this.origin !== 'nowhere';
  }
}
