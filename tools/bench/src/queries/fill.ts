import { type ClickHouseClient } from '@clickhouse/client';
import { progress } from '../progress.js';
import { clients, dropSaid, makeSaid, piece, products, visitLength } from './said.js';
import { holdMerges } from './settle.js';

/** Data to fill in. The seed determines all of it except the times, which end now. */
export interface Filling {
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
    cityHash64(visit, seed) AS luck,
    luck % 100 AS share,
    multiIf(share < 40, '${sources[0]}', share < 75, '${sources[1]}', '${sources[2]}') AS source,
    toUInt64(pow((intDiv(luck, 1000) % 1000003) / 1000003, 2) * intDiv({total:UInt64}, 60)) AS person,
    person % 10 < 6 AS has_account,
    concat('anon-', toString(person), '-', toString(intDiv(luck, 17) % 2)) AS device,
    {until:DateTime64(3, 'UTC')} - toIntervalDay(${days})
        + toIntervalMillisecond(toUInt64(visit / all_visits * (${days} * 86400000 - 2400000)) + intDiv(luck, 7) % 1800000) AS begun`;

/** A UUIDv7 with the given time. */
const messageId = (at: string, hash: string): string => `reinterpretAsUUID(bitOr(
    bitShiftLeft(toUInt128(bitOr(9223372036854775808, bitAnd(cityHash64(${hash}), 4611686018427387903))), 64),
    toUInt128(bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(${at})), 16), bitOr(28672, bitAnd(${hash}, 4095))))))`;

const eventsOf = `INSERT INTO events (source_id, event, timestamp, user_id, anonymous_id, message_id, properties, context, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    {from:UInt64} + place AS number,
    intDiv(number, ${visitLength}) AS visit,
    number % ${visitLength} AS step,
    ${visits},
    cityHash64(number, seed) AS dice,
    begun + toIntervalMillisecond(step * 41000 + dice % 30000) AS at,
    at + toIntervalMillisecond(50 + dice % 1500) AS arrived
SELECT
    source, name, at, if(has_account AND step >= 5, concat('user-', toString(person)), ''), device,
    ${messageId('arrived', 'dice')}, properties, context,
    ${messageId('at', 'luck')}, arrived, arrived + toIntervalMillisecond(200 + dice % 900),
    cityHash64(person) % 12, number, arrived + toIntervalMillisecond(3)
FROM said
LEFT ANY JOIN contexts ON contexts.client = toUInt8(person % ${clients})
WHERE place < {count:UInt64}`;

/** One visit in ten by people with an account sends an identify message. */
const identifiesOf = `INSERT INTO identifies (source_id, user_id, anonymous_id, message_id, timestamp, traits, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    number AS visit,
    ${visits},
    begun + toIntervalMillisecond(200000) AS at,
    at + toIntervalMillisecond(60) AS arrived
SELECT
    source, concat('user-', toString(person)), device, ${messageId('arrived', 'luck')}, at,
    concat('{"plan":"', ['free', 'pro', 'team'][1 + person % 3], '","city":"City ', toString(person % 500), '","age":', toString(18 + person % 60), ',"newsletter":', if(luck % 2 = 0, 'true', 'false'), '}')::JSON(max_dynamic_paths = 256),
    ${messageId('at', 'luck')}, arrived, arrived + toIntervalMillisecond(500), cityHash64(person) % 12, number, arrived
FROM numbers({from:UInt64}, {count:UInt64})
WHERE has_account AND intDiv(luck, 19) % 10 = 0`;

/** One ad request per visit. */
const adRequestsOf = `INSERT INTO ad_requests (source_id, endpoint, message_id, body, request_id, received_at, stored_at, kafka_partition, kafka_offset, kafka_timestamp)
WITH
    number AS visit,
    ${visits},
    begun + toIntervalMillisecond(1000) AS arrived
SELECT
    source, if(luck % 3 = 0, 'sponsoredAd', 'ad'), ${messageId('arrived', 'luck')},
    concat('{"sourceIdentifier":"', source, '","placement":"product-page","productId":"p-', toString(luck % ${products}), '"}')::JSON(max_dynamic_paths = 256),
    ${messageId('arrived', 'luck')}, arrived, arrived + toIntervalMillisecond(500), cityHash64(source) % 12, number, arrived
FROM numbers({from:UInt64}, {count:UInt64})`;

interface Piece {
  readonly query: string;
  readonly from: number;
  readonly count: number;
}

const piecesOf = (query: string, rows: number): Piece[] =>
  Array.from({ length: Math.ceil(rows / piece) }, (_, i) => ({
    query,
    from: i * piece,
    count: Math.min(piece, rows - i * piece),
  }));

/** Fills `events`, `identifies` and `ad_requests` in pieces; each piece becomes one part per week that it covers. */
export async function fillEvents(client: ClickHouseClient, { events, seed }: Filling): Promise<void> {
  const until = new Date().toISOString().slice(0, -1);
  const visits = Math.floor(events / visitLength);
  await holdMerges(client);
  await makeSaid(client, seed);
  const pieces = [eventsOf, identifiesOf, adRequestsOf].flatMap((query, i) => piecesOf(query, i ? visits : events));
  const left = pieces.values();
  const insertAll = async () => {
    for (const { query, from, count } of left) {
      await client.command({
        query,
        query_params: { total: events, seed, until, from, count },
        clickhouse_settings: {
          max_threads: 1, // keeps the order of arrival
          max_insert_threads: '1',
          max_block_size: String(piece),
          min_insert_block_size_rows: String(piece),
          min_insert_block_size_bytes: '0',
          // The rows contain no copies, and looking for copies takes longer than everything else.
          optimize_on_insert: 0,
          max_execution_time: 0,
        },
      });
      if (query === eventsOf) progress(`  ${(from + count).toLocaleString('en-US')} events`);
    }
  };
  await Promise.all(Array.from({ length: inserts }, insertAll));
  await dropSaid(client);
}
