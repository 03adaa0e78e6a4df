import { randomUUID } from 'node:crypto';
import { type Row, type RowBlock } from '../rows/encode-rows.js';
import { type LookUp } from './look-up.js';

/** Tables of entities, of which the row with the highest version is the state. */
const entityTables: ReadonlySet<string> = new Set([
  'sellers',
  'products',
  'product_variants',
  'categories',
  'general_entities',
]);
/** The messages of the entity tables that came with an Idempotency-Key, for some days. */
const messageTable = 'catalog_messages';
/** Bounds the memory of one look-up. */
const idsPerQuery = 50_000;

interface EntityMessage {
  readonly id: string;
  readonly copy: MessageCopy;
}

/** A copy of a message: its version in microseconds since 1970, and its place in Kafka. */
type MessageCopy = readonly [version: number, partition: number, offset: number];

/**
 * Removes the rows whose message is known with a lower version, or with the same one further ahead in Kafka, in the table
 * or in the block: a request that was repeated would bring back the state of its first try
 * (docs/decisions/0082-repeated-catalog-requests.md). A row that is stored already has its own version and place, so a
 * replay keeps it.
 */
export async function withoutOldStates<R extends Row>(
  lookUp: LookUp,
  table: string,
  { partition, rows }: Pick<RowBlock<R>, 'partition' | 'rows'>,
  possibleRepeats: readonly R[],
): Promise<readonly R[]> {
  if (possibleRepeats.length === 0 || !entityTables.has(table)) return rows;
  const messages = new Map<R, EntityMessage>();
  const firstCopies = new Map<string, MessageCopy>();
  const addCopy = (id: string, copy: MessageCopy): void => {
    const first = firstCopies.get(id);
    if (!first || compareCopies(copy, first) < 0) firstCopies.set(id, copy);
  };
  for (const row of possibleRepeats) {
    const message = parseKeyedMessage(row, partition);
    if (!message) continue;
    messages.set(row, message);
    addCopy(message.id, message.copy);
  }
  const ids = [...firstCopies.keys()];
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    for (const { id, first_version, first_partition, first_offset } of await lookUpCopies(
      lookUp,
      table,
      ids.slice(from, from + idsPerQuery),
    ))
      addCopy(id, [Number(first_version), Number(first_partition), Number(first_offset)]);
  }
  return rows.filter((row) => {
    const message = messages.get(row);
    const first = message && firstCopies.get(message.id);
    return !first || compareCopies(message.copy, first) === 0;
  });
}

function compareCopies(copy: MessageCopy, otherCopy: MessageCopy): number {
  const [version, partition, offset] = copy;
  const [otherVersion, otherPartition, otherOffset] = otherCopy;
  return version - otherVersion || partition - otherPartition || offset - otherOffset;
}

/** True when the look-up of another message is answered: if so, a refused look-up is the fault of its rows. */
export async function canLookUpStates(lookUp: LookUp, table: string): Promise<boolean> {
  try {
    await lookUpCopies(lookUp, table, [randomUUID()]);
    return true;
  } catch {
    return false;
  }
}

const lookUpCopies = (
  lookUp: LookUp,
  table: string,
  ids: readonly string[],
): Promise<Record<'id' | 'first_version' | 'first_partition' | 'first_offset', string>[]> =>
  lookUp(
    messageTable,
    `SELECT toString(message_id) AS id, min((version, kafka_partition, kafka_offset)) AS copy,
       toString(copy.1) AS first_version, toString(copy.2) AS first_partition, toString(copy.3) AS first_offset
     FROM ${messageTable}
     WHERE entities = '${table}' AND message_id IN (SELECT message_id FROM asked) GROUP BY message_id`,
    { tables: [{ name: 'asked', structure: 'message_id UUID', rows: ids }] },
  );

/** The beginning of a row as the gateway writes it. */
const gatewayRow =
  /^\{"source_id":"[^"\\]*","request_id":"[^"\\]*","received_at":"[^"\\]*","message_id":"([^"\\]*)","version":(\d{1,16})[,}]/;
const headLength = 512;
/** A UUID of version 8, which the gateway makes of a key. */
const keyedId = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The message of a row that came with a key; undefined for other rows, and for those of earlier gateways. */
function parseKeyedMessage({ value, offset }: Row, partition: number): EntityMessage | undefined {
  const [, ...members] = gatewayRow.exec(value.toString('latin1', 0, headLength)) ?? [];
  const [id, version] = members.length > 0 ? members : parseMembers(value);
  return typeof id === 'string' && keyedId.test(id) && Number.isSafeInteger(Number(version))
    ? { id, copy: [Number(version), partition, Number(offset)] }
    : undefined;
}

/** Members of a row of another producer. */
function parseMembers(value: Buffer): [unknown, unknown] {
  try {
    const { message_id, version } = JSON.parse(value.toString()) as { message_id?: unknown; version?: unknown };
    return [message_id, version];
  } catch {
    return [undefined, undefined];
  }
}
