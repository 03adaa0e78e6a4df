import { randomUUID } from 'node:crypto';
import { type Row } from '../rows/encode-rows.js';
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
  /** Microseconds since 1970. */
  readonly version: number;
}

/**
 * Removes the rows whose message is known with a lower version, in the table or in the block: a request that was
 * repeated would bring back the state of its first try (docs/decisions/0082-repeated-catalog-requests.md). A row that is
 * stored already has its own version, so a replay keeps it.
 */
export async function withoutOldStates<R extends Row>(
  lookUp: LookUp,
  table: string,
  rows: readonly R[],
  possibleRepeats: readonly R[],
): Promise<readonly R[]> {
  if (possibleRepeats.length === 0 || !entityTables.has(table)) return rows;
  const messages = new Map<R, EntityMessage>();
  const versions = new Map<string, number>();
  for (const row of possibleRepeats) {
    const message = keyedMessageOf(row.value);
    if (!message) continue;
    messages.set(row, message);
    versions.set(message.id, Math.min(message.version, versions.get(message.id) ?? Infinity));
  }
  const ids = [...versions.keys()];
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    for (const { id, version } of await stored(lookUp, table, ids.slice(from, from + idsPerQuery)))
      versions.set(id, Math.min(Number(version), versions.get(id) ?? Infinity));
  }
  return rows.filter((row) => {
    const message = messages.get(row);
    return message === undefined || message.version === versions.get(message.id);
  });
}

/** Whether the look-up of another message is answered: if so, a refused look-up is the fault of its rows. */
export async function canLookUpStates(lookUp: LookUp, table: string): Promise<boolean> {
  try {
    await stored(lookUp, table, [randomUUID()]);
    return true;
  } catch {
    return false;
  }
}

const stored = (
  lookUp: LookUp,
  table: string,
  ids: readonly string[],
): Promise<{ id: string; version: string | number }[]> =>
  lookUp(
    messageTable,
    `SELECT toString(message_id) AS id, min(version) AS version FROM ${messageTable}
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
function keyedMessageOf(value: Buffer): EntityMessage | undefined {
  const [, ...members] = gatewayRow.exec(value.toString('latin1', 0, headLength)) ?? [];
  const [id, version] = members.length > 0 ? members : parsedMembers(value);
  return typeof id === 'string' && keyedId.test(id) && Number.isSafeInteger(Number(version))
    ? { id, version: Number(version) }
    : undefined;
}

/** Members of a row of another producer. */
function parsedMembers(value: Buffer): [unknown, unknown] {
  try {
    const { message_id, version } = JSON.parse(value.toString()) as { message_id?: unknown; version?: unknown };
    return [message_id, version];
  } catch {
    return [undefined, undefined];
  }
}
