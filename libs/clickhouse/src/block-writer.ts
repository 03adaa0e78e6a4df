import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { FinalError } from '@sluice/contracts';
import { encodeRows, type RowBlock } from './encode-rows.js';

// Design §5: what was sent is what is stored, and one INSERT is one chunk that is stored whole or not at all.
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  date_time_input_format: 'best_effort',
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // Arrays of several types stay what they are, [true, "x"] and [true, 1] too.
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 1,
  input_format_json_read_bools_as_strings: 0,
  input_format_json_read_bools_as_numbers: 0,
  input_format_json_read_numbers_as_strings: 0,
  type_json_skip_duplicated_paths: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(512 * 1024 * 1024),
};

/** Codes of ClickHouse for rows it can never take (src/Common/ErrorCodes.cpp); every other failure may pass. */
const contentErrors = new Set([
  '6', // CANNOT_PARSE_TEXT
  '25', // CANNOT_PARSE_ESCAPE_SEQUENCE
  '26', // CANNOT_PARSE_QUOTED_STRING
  '27', // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  '33', // CANNOT_READ_ALL_DATA
  '38', // CANNOT_PARSE_DATE
  '41', // CANNOT_PARSE_DATETIME
  '53', // TYPE_MISMATCH
  '69', // ARGUMENT_OUT_OF_BOUND
  '70', // CANNOT_CONVERT_TYPE
  '72', // CANNOT_PARSE_NUMBER
  '117', // INCORRECT_DATA
  '130', // CANNOT_READ_ARRAY_FROM_TEXT
  '131', // TOO_LARGE_STRING_SIZE
  '321', // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  '349', // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  '376', // CANNOT_PARSE_UUID
  '407', // DECIMAL_OVERFLOW
  '467', // CANNOT_PARSE_BOOL
]);

/** Stores blocks of finished rows. */
export class BlockWriter {
  constructor(private readonly client: ClickHouseClient) {}

  /**
   * Stores a block in one INSERT under its id; the same id again changes nothing.
   * @throws FinalError when ClickHouse refuses the rows themselves; any other error is worth a retry.
   */
  async insert(table: string, block: RowBlock): Promise<void> {
    if (block.rows.length === 0) return;
    try {
      const { stream } = await this.client.exec({
        query: `INSERT INTO ${table} FORMAT JSONEachRow`,
        values: Readable.from([encodeRows(block)], { objectMode: false }),
        clickhouse_settings: { ...insertSettings, insert_deduplication_token: block.id },
      });
      stream.resume();
    } catch (error) {
      if (error instanceof ClickHouseError && contentErrors.has(error.code)) {
        throw new FinalError(`ClickHouse refused the row: ${error.type ?? error.code}`, { cause: error });
      }
      throw error;
    }
  }

  /** @throws when ClickHouse does not answer. */
  async ping(): Promise<void> {
    const result = await this.client.ping();
    if (!result.success) throw result.error;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
