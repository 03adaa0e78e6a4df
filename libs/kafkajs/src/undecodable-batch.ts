// Adds to kafkajs/src/consumer/batch.js: the batch at which reading stopped.

/** Reason why a record batch cannot be read; also the error's code in logs and metrics. */
export type BatchDamage =
  /** Kafka has no such codec. */
  | 'UNKNOWN_CODEC'
  /** Its bytes do not match its checksum. */
  | 'WRONG_CHECKSUM'
  /** The codec refuses its bytes. */
  | 'NOT_DECOMPRESSED'
  /** Its records would take more memory than a batch may. */
  | 'TOO_LARGE'
  /** Its lengths or counts contradict each other. */
  | 'MALFORMED';

/** The first batch of a partition's fetched bytes that cannot be read. The records before it were read. */
export class UndecodableBatch extends Error {
  /**
   * @param code of the damage
   * @param first offset, as the batch's head says
   * @param last offset, as the batch's head says
   */
  constructor(
    readonly code: BatchDamage,
    readonly first: bigint,
    readonly last: bigint,
    options?: ErrorOptions,
  ) {
    super(`the record batch of offsets ${first} to ${last} cannot be decoded: ${code}`, options);
    this.name = 'UndecodableBatch';
  }
}

const undecodableBatches = new WeakMap<readonly unknown[], UndecodableBatch>();

/** Remembers the undecodable batch that follows these records of a partition. */
export function endsUndecodable<Records extends readonly unknown[]>(
  records: Records,
  batch: UndecodableBatch,
): Records {
  undecodableBatches.set(records, batch);
  return records;
}

/** The batch that ends these records of a partition, if one does. */
export const undecodableAfter = (records: readonly unknown[]): UndecodableBatch | undefined =>
  undecodableBatches.get(records);

/** The undecodable batch that ended the records of a batch that kafkajs hands over. */
export const undecodableBatch = (batch: object): UndecodableBatch | undefined =>
  (batch as { readonly undecodable?: UndecodableBatch }).undecodable;
