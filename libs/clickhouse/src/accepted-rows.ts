import { type Row, type RowBlock } from './encode-rows.js';

/** Upper bound of a kept row. */
const mostBytes = 64 * 1024;
/** Age up to which ClickHouse remembers the token of a block, at ten INSERTs a second. */
const fresh = 15 * 60_000;

/** Keeps for each table a row that it took last, with the id of its block. */
export class AcceptedRows {
  private readonly byTable = new Map<string, { block: RowBlock; at: number }>();

  add(table: string, { id, partition, rows }: RowBlock): void {
    const [row] = rows;
    if (!row || row.value.length > mostBytes) return;
    // A copy: the row would keep the whole answer of Kafka that it came in.
    const { offset, timestamp } = row;
    const copy: Row = { offset, timestamp, value: Buffer.from(row.value) };
    this.byTable.set(table, { block: { id, partition, rows: [copy] }, at: performance.now() });
  }

  /** The last kept row of the table, of any age. */
  rowOf(table: string): Row | undefined {
    return this.byTable.get(table)?.block.rows[0];
  }

  /** A block of that row under the id of its INSERT: a repeat changes nothing. Undefined when too old. */
  repeatOf(table: string): RowBlock | undefined {
    const found = this.byTable.get(table);
    return found && performance.now() - found.at < fresh ? found.block : undefined;
  }
}
