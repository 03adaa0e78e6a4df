import { type Kafka, type RecordSnapshot, RegistryFollower } from '@sluice/kafka';
import { plansTopic } from './records.js';
import { PlanRegistry } from './registry.js';

export interface PlanReaderOptions {
  /** Read first, and kept current from then on. */
  readonly snapshot?: RecordSnapshot;
  /** Called for each record that is not a plan of this version. */
  readonly onUnreadable?: () => void;
  /** Called with the error when a message cannot be judged; the message passes. */
  readonly onError?: (error: unknown) => void;
}

/** Fills a registry from `plans.v1` and keeps it current. */
export class PlanReader extends RegistryFollower<PlanRegistry> {
  constructor(kafka: Kafka, { snapshot, onUnreadable, onError }: PlanReaderOptions = {}) {
    super({ kafka, topic: plansTopic, createRegistry: () => new PlanRegistry(onError), snapshot, onUnreadable });
  }
}
