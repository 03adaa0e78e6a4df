import { ofInstallation } from '@sluice/contracts';
/** The compacted topic that tells how far the logs of the data topics were acknowledged and stored. */
export const endsTopic = ofInstallation('acknowledged-ends.v1');

/** The last offsets of one log that one process knows of. The newest record replaces the earlier ones. */
export interface LogOffsets {
  readonly topic: string;
  /** Id of the topic: a topic that is created anew has another one. */
  readonly id: string;
  /** Id of the process that tells it, new at each start. */
  readonly writer: string;
  /**
   * The consumer group that has stored, buried or counted as lost every message before these offsets. Without a group,
   * Kafka has acknowledged every message of the writer before these offsets, and the last of them was its own.
   */
  readonly group?: string;
  /** The offset after the last one, by partition. */
  readonly ends: ReadonlyMap<number, number>;
}

export const recordOfOffsets = ({ topic, id, writer, group, ends }: LogOffsets): { key: string; value: Buffer } => ({
  key: [writer, id, ...(group === undefined ? [] : [group])].join(':'),
  value: Buffer.from(JSON.stringify({ topic, id, writer, group, ends: Object.fromEntries(ends) })),
});

/** @throws TypeError when the bytes are not a record of the topic. */
export function parseOffsets(value: Buffer): LogOffsets {
  const read = JSON.parse(value.toString()) as Record<string, unknown> | null;
  const { topic, id, writer, group, ends } = read ?? {};
  const isOther = typeof topic !== 'string' || typeof id !== 'string' || typeof writer !== 'string';
  if (isOther || typeof ends !== 'object' || ends === null) throw new TypeError('not the offsets of a log');
  const offsets = Object.entries(ends).map(([partition, end]: [string, unknown]) => [Number(partition), end] as const);
  if (!offsets.every((one): one is [number, number] => isOffset(one[0]) && isOffset(one[1]))) {
    throw new TypeError('not the offsets of a log');
  }
  return { topic, id, writer, ...(typeof group === 'string' && { group }), ends: new Map(offsets) };
}

const isOffset = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
