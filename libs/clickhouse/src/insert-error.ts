import { type ClickHouseError } from '@clickhouse/client';

/** ClickHouse did not take a block, but may take it later. ClickHouse's message is left out: it may quote rows. */
export class InsertError extends Error {
  override readonly name = 'InsertError';
  readonly code: string;

  constructor({ type, code }: ClickHouseError) {
    super(`ClickHouse refused the block: ${type ?? ''} (${code})`);
    this.code = type ?? code;
  }
}
