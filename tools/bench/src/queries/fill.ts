import { type ClickHouseClient } from '@clickhouse/client';
import { progress } from '../progress.js';
import {
  clientCount,
  createMessageTemplates,
  dropMessageTemplates,
  eventsPerPiece,
  productCount,
  visitLength,
} from './message-templates.js';
import { holdMerges } from './settle.js';

/** Data to fill in. The seed determines all of it except the times, which end now. */
export interface TableFilling {
  readonly events: number;
  readonly seed: number;
}

const days = 90;
/** Parallel INSERTs: one for each core of the machine in docs/benchmarks.md. */
const inserts = 2;

/** Sources with 40, 35 and 25 % of the events. Queries ask about the first. */
export const sources = ['BenchShop001', 'BenchShop002', 'BenchShop003'] as const;
export const catalogSource = 'BenchCatalog';

/**
 * Ninety days of visits that end now, eight events each, in the order of their arrival. Few people come often, most
 * come rarely. Six of ten have an account and sign in after the fifth event.
 */
const visits = `
    {seed:UInt64} AS seed,
    intDiv({total:UInt64}, ${visitLength}) AS all_visits,
    cityHash64(visit, seed) AS visit_hash,
    visit_hash % 100 AS share,
    multiIf(share < 40, '${sources[0]}', share < 75, '${sources[1]}', '${sources[2]}') AS source,
    toUInt64(pow((intDiv(visit_hash, 1000) % 1000003) / 1000003, 2) * intDiv({total:UInt64}, 60)) AS person,
    person % 10 < 6 AS has_account,
    concat('anon-', toString(person), '-', toString(intDiv(visit_hash, 17) % 2)) AS device,
    {until:DateTime64(3, 'UTC')} - toIntervalDay(${days})
        + toIntervalMillisecond(toUInt64(visit / all_visits * (${days} * 86400000 - 2400000)) + intDiv(visit_hash, 7) % 1800000) AS begun`;

/** A UUIDv7 with the given time. */
const messageId = (timeSql: string, hash: string): string => `reinterpretAsUUID(bitOr(
    bitShiftLeft(toUInt128(bitOr(9223372036854775808, bitAnd(cityHash64(${hash}), 4611686018427387903))), 64),
    toUInt128(bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(${timeSql})), 16), bitOr(28672, bitAnd(${hash}, 4095))))))`;

const insertEvents = `INSERT INTO events (source_id, event, timestamp, user_id, anonymous_id, message_id, properties, context, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    {from:UInt64} + place AS number,
    intDiv(number, ${visitLength}) AS visit,
    number % ${visitLength} AS step,
    ${visits},
    cityHash64(number, seed) AS message_hash,
    begun + toIntervalMillisecond(step * 41000 + message_hash % 30000) AS at,
    at + toIntervalMillisecond(50 + message_hash % 1500) AS arrived
SELECT
    source, name, at, if(has_account AND step >= 5, concat('user-', toString(person)), ''), device,
    ${messageId('arrived', 'message_hash')}, properties, context,
    ${messageId('at', 'visit_hash')}, arrived, arrived + toIntervalMillisecond(200 + message_hash % 900),
    cityHash64(person) % 12, number, arrived + toIntervalMillisecond(3)
FROM message_templates
LEFT ANY JOIN contexts ON contexts.client = toUInt8(person % ${clientCount})
WHERE place < {count:UInt64}`;

/** One visit in ten by people with an account sends an identify message. */
const insertIdentifies = `INSERT INTO identifies (source_id, user_id, anonymous_id, message_id, timestamp, traits, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    number AS visit,
    ${visits},
    begun + toIntervalMillisecond(200000) AS at,
    at + toIntervalMillisecond(60) AS arrived
SELECT
    source, concat('user-', toString(person)), device, ${messageId('arrived', 'visit_hash')}, at,
    concat('{"plan":"', ['free', 'pro', 'team'][1 + person % 3], '","city":"City ', toString(person % 500), '","age":', toString(18 + person % 60), ',"newsletter":', if(visit_hash % 2 = 0, 'true', 'false'), '}')::JSON(max_dynamic_paths = 256),
    ${messageId('at', 'visit_hash')}, arrived, arrived + toIntervalMillisecond(500), cityHash64(person) % 12, number, arrived
FROM numbers({from:UInt64}, {count:UInt64})
WHERE has_account AND intDiv(visit_hash, 19) % 10 = 0`;

/** One ad request per visit. */
const insertAdRequests = `INSERT INTO ad_requests (source_id, endpoint, message_id, body, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    number AS visit,
    ${visits},
    begun + toIntervalMillisecond(1000) AS arrived
SELECT
    source, if(visit_hash % 3 = 0, 'sponsoredAd', 'ad'), ${messageId('arrived', 'visit_hash')},
    concat('{"sourceIdentifier":"', source, '","placement":"product-page","productId":"p-', toString(visit_hash % ${productCount}), '"}')::JSON(max_dynamic_paths = 256),
    ${messageId('arrived', 'visit_hash')}, arrived, arrived + toIntervalMillisecond(500), cityHash64(source) % 12, number, arrived
FROM numbers({from:UInt64}, {count:UInt64})`;

interface Piece {
  readonly query: string;
  readonly from: number;
  readonly count: number;
}

const cutPieces = (query: string, rows: number): Piece[] =>
  Array.from({ length: Math.ceil(rows / eventsPerPiece) }, (_, i) => ({
    query,
    from: i * eventsPerPiece,
    count: Math.min(eventsPerPiece, rows - i * eventsPerPiece),
  }));

/** Fills `events`, `identifies` and `ad_requests` in pieces; each piece becomes one part per week that it covers. */
export async function fillEvents(client: ClickHouseClient, { events, seed }: TableFilling): Promise<void> {
  const until = new Date().toISOString().slice(0, -1);
  const visits = Math.floor(events / visitLength);
  await holdMerges(client);
  await createMessageTemplates(client, seed);
  const pieces = [insertEvents, insertIdentifies, insertAdRequests].flatMap((query, i) =>
    cutPieces(query, i ? visits : events),
  );
  const openPieces = pieces.values();
  const insertAll = async () => {
    for (const { query, from, count } of openPieces) {
      await client.command({
        query,
        query_params: { total: events, seed, until, from, count },
        clickhouse_settings: {
          max_threads: 1, // keeps the order of arrival
          max_insert_threads: '1',
          max_block_size: String(eventsPerPiece),
          min_insert_block_size_rows: String(eventsPerPiece),
          min_insert_block_size_bytes: '0',
          // The rows contain no copies, and looking for copies takes longer than everything else.
          optimize_on_insert: 0,
          max_execution_time: 0,
        },
      });
      if (query === insertEvents) progress(`  ${(from + count).toLocaleString('en-US')} events`);
    }
  };
  await Promise.all(Array.from({ length: inserts }, insertAll));
  await dropMessageTemplates(client);
}
