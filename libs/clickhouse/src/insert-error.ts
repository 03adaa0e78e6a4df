import { type ClickHouseError } from '@clickhouse/client';

/** ClickHouse did not take a block, and may take it later. Without its message, which may quote the rows. */
export class InsertError extends Error {
  override readonly name = 'InsertError';
  readonly code: string;

  constructor({ type, code }: ClickHouseError) {
    super(`ClickHouse refused the block: ${type ?? ''} (${code})`);
    this.code = type ?? code;
  }
}
