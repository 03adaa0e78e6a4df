import { type Stage } from './stage.js';
import { faultSource } from './stream.js';

const perInsert = 1_000_000;

/** Fills the table of events with older rows of the source, so that looking up a repeat has many rows to search. */
export async function fillBigTable(stage: Stage, rows: number): Promise<void> {
  const startedAt = Date.now();
  for (let from = 0; from < rows; from += perInsert) {
    await stage.ledger.command(`INSERT INTO events
      (source_id, event, timestamp, user_id, message_id, properties, request_id, received_at, kafka_partition, kafka_offset, kafka_timestamp)
      SELECT '${faultSource}', 'something_happened', now64(3) - toIntervalSecond(60 + number % 1209600) AS at, concat('user-', toString(number % 100000)),
        toUUID(concat('00000000-0000-4000-9000-', leftPad(lower(hex(number)), 12, '0'))), '{}', toUUID('00000000-0000-4000-9000-000000000000'), at, 0, number, at
      FROM numbers(${from}, ${Math.min(perInsert, rows - from)})`);
  }
  if (rows > 0)
    console.log(`filled the table of events with ${rows} rows in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
}
