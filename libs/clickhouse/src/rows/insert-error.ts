import { type ClickHouseError } from '@clickhouse/client';

/** ClickHouse did not take a block, but may take it later. ClickHouse's message is left out: it may quote rows. */
export class InsertError extends Error {
  override readonly name = 'InsertError';
  readonly code: string;

  /** @param shard the shard that refused, unless it is the block's own */
  constructor(
    { type, code }: ClickHouseError,
    readonly shard?: string,
  ) {
    super(`ClickHouse refused the block: ${type ?? ''} (${code})`);
    this.code = type ?? code;
  }
}
