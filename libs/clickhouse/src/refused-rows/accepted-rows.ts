import { type Row, type RowBlock } from '../rows/encode-rows.js';

/** Upper bound of a kept row, in bytes. */
const maxBytes = 64 * 1024;
/** ClickHouse remembers 10,000 tokens of a table: about this long with seven processes of twelve INSERTs a second. */
const freshMs = 2 * 60_000;

/** Keeps one row of the block that each table took last, with the id of that block. */
export class AcceptedRows {
  private readonly byTable = new Map<string, { block: RowBlock; acceptedAt: number }>();

  add(table: string, { id, partition, rows }: RowBlock): void {
    const [row] = rows;
    if (!row || row.value.length > maxBytes) return;
    // A copy: the row itself would retain the whole response of Kafka that it arrived in.
    const { offset, timestamp } = row;
    const copy: Row = { offset, timestamp, value: Buffer.from(row.value) };
    this.byTable.set(table, { block: { id, partition, rows: [copy] }, acceptedAt: performance.now() });
  }

  /** The row kept for the table, however old. */
  findRow(table: string): Row | undefined {
    return this.byTable.get(table)?.block.rows[0];
  }

  /** A block of that row under the id of its first INSERT: storing it again changes nothing. Undefined when too old. */
  makeRepeat(table: string): RowBlock | undefined {
    const accepted = this.byTable.get(table);
    return accepted && performance.now() - accepted.acceptedAt < freshMs ? accepted.block : undefined;
  }
}
