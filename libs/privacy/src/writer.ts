import { hashKey } from '@sluice/contracts';
import {
  type CompactedRecord,
  CompactedTopicWriter,
  ensureCompactedTopic,
  type Kafka,
  type KafkaConfig,
} from '@sluice/kafka';
import { type IdKind, type PrivacyKey } from './privacy-key.js';
import { type SuppressionRegistry } from './registry.js';
import {
  suppressionKey,
  parseSuppressionKey,
  suppressionRecord,
  type SuppressedId,
  type Suppression,
  suppressionsTopic,
} from './suppression.js';

/** An id of a person in a source. */
export interface Subject {
  readonly source: string;
  readonly kind: IdKind;
  readonly id: string;
}

/** Reason for which ids are suppressed. */
export interface SuppressionCause {
  /** `erase` ends by `liftAt` of the same request, `suppress` by `unsuppress`. */
  readonly mode: Suppression['mode'];
  /** Id of the request or erasure. */
  readonly request: string;
  /** Whether an erasure relies on the suppression although its mode is `suppress`. */
  readonly wasErased?: boolean;
}

/** Records that were written. */
export interface WrittenSuppressions {
  /** Keys of the records, in the order of the subjects: they may be shown, unlike the ids. */
  readonly keys: readonly string[];
  /** Offset of the last record; -1 when none was written. The records are in force at a reader that has this offset. */
  readonly offset: bigint;
}

const recordsPerSend = 1_000;

/** Creates the topic of the suppressions if it does not exist. */
export const ensureSuppressionsTopic = (kafka: Kafka, config: KafkaConfig): Promise<string[]> =>
  ensureCompactedTopic(kafka, config, suppressionsTopic);

/** Names a subject without revealing its id. */
export const toSuppressedId = (key: PrivacyKey, { source, kind, id }: Subject): SuppressedId => ({
  source,
  kind,
  hash: key.hash(kind, id),
});

/** Changes suppressions. It is given the current registry to check against. */
export class SuppressionWriter {
  private readonly topic: CompactedTopicWriter;

  constructor(
    kafka: Kafka,
    private readonly registry: SuppressionRegistry,
    private readonly key: PrivacyKey,
  ) {
    this.topic = new CompactedTopicWriter(kafka, suppressionsTopic);
  }

  /** Suppresses ids. A suppression that was requested before an erasure stays in force after its end. */
  suppress(
    subjects: readonly Subject[],
    { mode, request, wasErased = false }: SuppressionCause,
  ): Promise<WrittenSuppressions> {
    const requestedAt = Date.now();
    const records = subjects.map((subject) => {
      const id = toSuppressedId(this.key, subject);
      const present = this.registry.find(id);
      const isStanding = present?.mode === 'suppress' && present.until === undefined;
      return suppressionRecord(id, {
        keyId: this.key.id,
        murmur2: hashKey(`${subject.source}:${subject.id}`),
        mode: isStanding ? 'suppress' : mode,
        requestedAt,
        request,
        wasErased: wasErased || mode === 'erase' || present?.wasErased === true,
      });
    });
    return this.write(records);
  }

  /** Takes new messages of the ids again. What an erasure deleted stays out: only messages from now on are taken. */
  unsuppress(subjects: readonly Subject[]): Promise<WrittenSuppressions> {
    const now = Date.now();
    const records = subjects.flatMap((subject): CompactedRecord[] => {
      const id = toSuppressedId(this.key, subject);
      const present = this.registry.find(id);
      if (!present || present.until !== undefined) return [];
      return [
        present.wasErased
          ? suppressionRecord(id, { ...present, until: now })
          : { key: suppressionKey(id), value: null },
      ];
    });
    return this.write(records);
  }

  /**
   * Ends the suppressions of an erasure: messages that arrived before `until` are dropped for ever, later ones taken.
   * Records of another request and those of mode `suppress` stay as they are.
   * @param keys as `suppress` returned them
   * @param until milliseconds since 1970
   */
  liftAt(keys: readonly string[], until: number, request: string): Promise<WrittenSuppressions> {
    const records = keys.flatMap((key): CompactedRecord[] => {
      const id = parseSuppressionKey(key);
      const present = this.registry.find(id);
      if (present?.mode !== 'erase' || present.request !== request) return [];
      return [suppressionRecord(id, { ...present, until })];
    });
    return this.write(records);
  }

  stop(): Promise<void> {
    return this.topic.stop();
  }

  /** Resolves when the records are durable and also in the registry this writer checks against. */
  private async write(records: readonly CompactedRecord[]): Promise<WrittenSuppressions> {
    let offset = -1n;
    for (let from = 0; from < records.length; from += recordsPerSend) {
      const part = records.slice(from, from + recordsPerSend);
      offset = (await this.topic.write(part)) + BigInt(part.length) - 1n;
      for (const { key, value } of part) this.registry.apply(key, value);
    }
    return { keys: records.map(({ key }) => key), offset };
  }
}
