import { isDeepStrictEqual } from 'node:util';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { createClickHouse } from '../connection/client.js';
import { type ClickHouseConfig } from '../connection/config.js';
import { lookUpWith } from '../look-up/look-up.js';
import { withoutRepeats } from '../look-up/repeats.js';
import { missingRows } from '../look-up/stored-rows.js';
import { encodeRows, type RowBlock } from '../rows/encode-rows.js';
import { type ExternalTable } from '../rows/external-table.js';
import { insertSettings } from '../rows/insert-settings.js';
import { contentErrors } from '../rows/content-errors.js';
import { type Probe, probePlace, probes, probeValue } from './probe-row.js';

/** ClickHouse reads rows differently than this version of Sluice writes them; a person has to act. */
export class RoundTripError extends Error {
  override readonly name = 'RoundTripError';
}

/** Errors by which ClickHouse says that it knows a query otherwise than we do. Any other error, such as a full disk, passes. */
const queryErrors: ReadonlySet<string> = new Set([
  '36', // BAD_ARGUMENTS
  '43', // ILLEGAL_TYPE_OF_ARGUMENT
  '46', // UNKNOWN_FUNCTION
  '47', // UNKNOWN_IDENTIFIER
  '48', // NOT_IMPLEMENTED
  '50', // UNKNOWN_TYPE
  '62', // SYNTAX_ERROR
  '115', // UNKNOWN_SETTING
  '452', // SETTING_CONSTRAINT_VIOLATION
]);
const isAboutTheRow = (code: string): boolean => queryErrors.has(code) || contentErrors.has(code);

/** Upper bound of a value in a message. */
const maxLength = 300;
/** The look-ups of repeats know the columns of this table. The data of the request goes before a table of its name. */
const table = 'events';

/**
 * Proves on every shard that ClickHouse reads one row as it was sent, with a column of each type, and that the look-ups
 * of a replay and of a repeat find it. ClickHouse holds the row in a table of the request only, as a look-up's data, so
 * that no right to create a table is needed and nothing is stored.
 * @throws RoundTripError that names what was sent and what came back; another error when ClickHouse does not answer
 */
export async function proveRoundTrip(config: ClickHouseConfig): Promise<void> {
  const { CLICKHOUSE_SHARDS } = config;
  if (!CLICKHOUSE_SHARDS) return proveServer(config, 'ClickHouse');
  for (const [shard, CLICKHOUSE_URL] of CLICKHOUSE_SHARDS)
    await proveServer({ ...config, CLICKHOUSE_URL }, `ClickHouse of shard ${shard}`);
}

async function proveServer(config: ClickHouseConfig, name: string): Promise<void> {
  const client = createClickHouse(config, 'default');
  try {
    await prove(client, `${name} ${await readVersion(client)}`);
  } catch (error) {
    if (!(error instanceof ClickHouseError) || !isAboutTheRow(error.code)) throw error;
    // The message may be shown: it can only quote the probing row.
    throw new RoundTripError(`${name} refuses a row as Sluice sends it: ${error.message}`, { cause: error });
  } finally {
    await client.close();
  }
}

async function prove(client: ClickHouseClient, server: string): Promise<void> {
  const block = probingBlock();
  const lookUp = lookUpWith(client, makeScratchTable(block), insertSettings);
  const columns = probes.map(({ column, read }) => `${read} AS ${column}_read`);
  const rows = await lookUp<Record<string, unknown>>(table, `SELECT ${columns.join(', ')} FROM ${table}`);
  if (rows.length !== 1) throw new RoundTripError(`${server} was sent one row and read ${rows.length}`);
  for (const probe of probes) compare(server, probe, String(rows[0]?.[`${probe.column}_read`]));
  const missing = await missingRows(lookUp, table, block);
  if (missing.length > 0) throw new RoundTripError(`${server} does not find the row by its place in Kafka`);
  const repeats = await withoutRepeats(lookUp, table, block.rows, block.rows);
  if (repeats.length > 0) throw new RoundTripError(`${server} does not find the row by its message`);
}

function compare(server: string, { column, type, sent, expected }: Probe, read: string): void {
  if (read === expected || (type.startsWith('JSON') && isSameJson(read, expected))) return;
  const sentText = sent ?? expected;
  throw new RoundTripError(
    `${server} reads rows differently than Sluice writes them: ${column} (${type}) was sent as ${shorten(sentText)}, ` +
      `must read as ${shorten(expected)}, and came back as ${shorten(read)}`,
  );
}

function isSameJson(text: string, otherText: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(otherText));
  } catch {
    return false;
  }
}

const shorten = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);

function probingBlock(): RowBlock {
  const { partition, offset, timestamp } = probePlace;
  return { id: 'round trip', partition, rows: [{ value: probeValue(), offset, timestamp }] };
}

const makeScratchTable = (block: RowBlock): ExternalTable => ({
  name: table,
  structure: probes.map(({ column, type }) => `${column} ${type}`).join(', '),
  format: 'JSONEachRow',
  pieces: [...encodeRows(block)],
});

async function readVersion(client: ClickHouseClient): Promise<string> {
  const result = await client.query({ query: 'SELECT version() AS version', format: 'JSONEachRow' });
  const [row] = await result.json<{ version: string }>();
  return row?.version ?? '';
}
