/** A Kafka topic of Sluice and the contract of the messages in it. See docs/architecture.md#topics-and-messages. */
export interface Topic {
  /** The topic's name, prefix and version included: `tracking.track.v1`. */
  readonly name: string;
  /** Value of the `contract` header of its messages: `track.v1`. Consumers take it and `earlierContracts`, no other. */
  readonly contract: string;
  /**
   * Contracts of earlier versions that consumers still store, because an upgrade replaces consumers first
   * (docs/decisions/0043-upgrade-order.md).
   */
  readonly earlierContracts?: readonly string[];
  /** Contract of messages that delete what the others are about: docs/decisions/0107-catalog-deletions.md. */
  readonly deletionContract?: string;
  /** Contract of the probes among its messages: docs/decisions/0114-canary.md. */
  readonly canaryContract?: string;
  /** Partitions of a new topic, whatever TOPIC_PARTITIONS says. */
  readonly partitions?: number;
  /** Hours that a new topic keeps its messages, whatever TOPIC_RETENTION_HOURS says. */
  readonly retentionHours?: number;
  /** Bytes that a partition of a new topic keeps at most. */
  readonly retentionBytes?: number;
}

/** Contracts that a gateway of this version writes. */
export const writtenContracts = ({ contract, deletionContract, canaryContract }: Topic): string[] =>
  [deletionContract, canaryContract, contract].filter((name) => name !== undefined);

/** Contracts that a consumer of this version stores; the oldest one is the last. */
export const storedContracts = (topic: Topic): string[] => [
  ...writtenContracts(topic),
  ...(topic.earlierContracts ?? []),
];

export const deadLetterTopic = (topic: string): string => `${topic}.dlq`;
