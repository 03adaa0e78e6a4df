import { type Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { isOneObject } from '@sluice/contracts';
import { stateErrors } from '../rows/content-errors.js';
import { encodeRows, type Row } from '../rows/encode-rows.js';
import { withExternalTables } from '../rows/external-table.js';
import { readSettings } from '../rows/insert-settings.js';
import { readColumns } from '../rows/read-columns.js';

/** Upper bound of broken rows, and of refused rows, that are finally read one by one, to learn why. */
const maxReasons = 200;
/** Upper bound of reads for one attempt. What they find is remembered, so that the next attempt goes on from there. */
const maxReads = 5_000;
const readsAtOnce = 4;
/** Number of pieces in which rows are read again after one of them kept ClickHouse from reading on. */
const pieces = 8;
/** Time after which a row that was refused alone is read again: its table may have changed. */
const rememberedMs = 5 * 60_000;
/** Rows nested deeper are read alone first. ClickHouse's limit is 1,000 in a column; elsewhere, its stack. */
const maxDepth = 500;

/** The reads of one attempt. */
interface Reads {
  remaining: number;
  /** True when a row that was not known before was refused alone. */
  hasFound: boolean;
}

/** A row that ClickHouse refused alone, so no row before it can be the cause. */
interface RefusedAlone {
  readonly why: string;
  readonly refusedAt: number;
}

const notARow = 'value is not a row';
const describeRefusal = ({ type, code }: ClickHouseError): string => `ClickHouse refused the row: ${type ?? code}`;
const cannotBeRead = 'ClickHouse refused the row: it cannot be read';

/** A row that every table can read: each column gets its default. */
const blank: Row = { value: Buffer.from('{"":0}'), offset: '0', timestamp: '0' };

/** Finds the rows that ClickHouse cannot read into the columns of a table. It only reads; nothing is stored. */
export class Sieve {
  private readonly refusedAlone = new WeakMap<Row, RefusedAlone>();
  private reading = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly client: ClickHouseClient) {}

  /**
   * The rows that cannot be read, each with a reason: ClickHouse's own, at least for the first 200 that it refused.
   * A readable row is never among them because of a bad row next to it.
   * @throws when ClickHouse does not answer, cannot read any row for the table, or would need too many reads.
   */
  async unreadable<R extends Row>(table: string, rows: readonly R[]): Promise<Map<R, string>> {
    const columns = await readColumns(this.client, table);
    // An unclosed string or object would swallow the rows after it. All other rows are complete within their line, and
    // ClickHouse continues after a bad row at the next line break.
    const broken = new Set(rows.filter(({ value }) => !isOneObject(value)));
    const reads: Reads = { remaining: maxReads, hasFound: false };
    const whole = rows.filter((row) => !broken.has(row));
    const deep = whole.filter((row) => !this.isKnown(row) && !isOneObject(row.value, maxDepth));
    await Promise.all(deep.map((row) => this.notRead(columns, [row], reads)));
    const unknown = whole.filter((row) => !this.isKnown(row));
    const notRead = new Set(await this.notRead(columns, unknown, reads));
    const suspects = whole.filter((row) => this.isKnown(row) || notRead.has(row));
    const refused = await this.refusedOnTheirOwn(columns, whole, suspects, reads);
    // Proves that ClickHouse can read rows for the table. If it cannot, no row is to blame.
    if (reads.hasFound) await this.offsetsRead(columns, [blank], 0);
    const unreadable = new Map<R, string>();
    // ClickHouse takes some broken rows when they are alone, such as one with a wrong \u escape.
    for (const [i, row] of [...broken].entries())
      if (i >= maxReasons || (await this.whyUnreadable(columns, row)) !== undefined) unreadable.set(row, notARow);
    for (const [i, row] of refused.entries()) {
      const knownReason = this.isKnown(row) ? this.refusedAlone.get(row)?.why : undefined;
      const why = knownReason ?? (i < maxReasons ? await this.whyUnreadable(columns, row) : cannotBeRead);
      if (why !== undefined) unreadable.set(row, why);
    }
    return unreadable;
  }

  /**
   * The rows of `notRead` that are at fault themselves. An unreadable row can spoil the row after it: ClickHouse
   * always reads 36 bytes for a UUID, even over a line break. So a row counts only if the row before it was read, and
   * the others are read again, each after two blank rows of its own.
   */
  private async refusedOnTheirOwn<R extends Row>(
    columns: string,
    rows: readonly R[],
    notRead: readonly R[],
    reads: Reads,
  ): Promise<R[]> {
    const suspects = new Set(notRead);
    const unsure = rows.filter((row, i) => {
      const previousRow = rows[i - 1];
      return previousRow !== undefined && suspects.has(previousRow) && suspects.has(row) && !this.isKnown(row);
    });
    const spaced = unsure.map((row) => ({ row, blanks: [{ ...blank }, { ...blank }] }));
    const unreadRows = await this.notRead<Row>(
      columns,
      spaced.flatMap(({ row, blanks }) => [...blanks, row]),
      reads,
    );
    const notReadAgain = new Set(unreadRows);
    for (const { row, blanks } of spaced) {
      const isSpoilt = blanks[1] !== undefined && notReadAgain.has(blanks[1]);
      if (isSpoilt && reads.remaining-- <= 0) throw new Error('too many rows spoil the row after them');
      const isReadable = isSpoilt ? (await this.whyUnreadable(columns, row)) === undefined : !notReadAgain.has(row);
      if (isReadable) suspects.delete(row);
    }
    return [...suspects];
  }

  /** True when ClickHouse can read this row. */
  async reads(table: string, row: Row): Promise<boolean> {
    return (await this.whyUnreadable(await readColumns(this.client, table), row)) === undefined;
  }

  /** True when the row was refused alone, not long ago. */
  private isKnown(row: Row): boolean {
    const refused = this.refusedAlone.get(row);
    return refused !== undefined && performance.now() - refused.refusedAt < rememberedMs;
  }

  private async notRead<R extends Row>(columns: string, rows: readonly R[], reads: Reads): Promise<R[]> {
    if (rows.length === 0) return [];
    if (reads.remaining-- <= 0) throw new Error('too many rows keep ClickHouse from reading on');
    try {
      const read = await this.offsetsRead(columns, rows, 1);
      return rows.filter((_, i) => !read.has(String(i + 1)));
    } catch (error) {
      // An error about the server says nothing about rows. After any other, ClickHouse could not skip the bad row, so
      // smaller pieces are read.
      if (!(error instanceof ClickHouseError) || stateErrors.has(error.code)) {
        reads.remaining = 0;
        throw error;
      }
      const [row] = rows;
      if (row && rows.length === 1) {
        this.refusedAlone.set(row, { why: describeRefusal(error), refusedAt: performance.now() });
        reads.hasFound = true;
        return [row];
      }
      const size = Math.ceil(rows.length / pieces);
      const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => i * size);
      const readings = starts.map((start) => this.notRead(columns, rows.slice(start, start + size), reads));
      return (await Promise.all(readings)).flat();
    }
  }

  private async whyUnreadable(columns: string, row: Row): Promise<string | undefined> {
    try {
      const read = await this.offsetsRead(columns, [row], 0);
      return read.size === 1 && read.has('1') ? undefined : notARow;
    } catch (error) {
      if (!(error instanceof ClickHouseError) || stateErrors.has(error.code)) throw error;
      return describeRefusal(error);
    }
  }

  /** The rows that ClickHouse read, as positions in the list, counted from 1. Few reads run at the same time. */
  private async offsetsRead(columns: string, rows: readonly Row[], errorsRatio: 0 | 1): Promise<ReadonlySet<string>> {
    while (this.reading >= readsAtOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.reading += 1;
    try {
      return await this.offsetsReadNow(columns, rows, errorsRatio);
    } finally {
      this.reading -= 1;
      this.waiting.shift()?.();
    }
  }

  private async offsetsReadNow(
    columns: string,
    rows: readonly Row[],
    errorsRatio: 0 | 1,
  ): Promise<ReadonlySet<string>> {
    const placed = rows.map(({ value, timestamp }, i) => ({
      value: inOneLine(value),
      offset: String(i + 1),
      timestamp,
    }));
    const { stream } = await this.client.exec({
      query: 'SELECT kafka_offset FROM sieve FORMAT TSV',
      ...withExternalTables({
        name: 'sieve',
        structure: columns,
        format: 'JSONEachRow',
        pieces: encodeRows({ id: '', partition: 0, rows: placed }),
      }),
      clickhouse_settings: { ...readSettings, input_format_allow_errors_ratio: errorsRatio },
    });
    return new Set((await readText(stream)).trimEnd().split('\n'));
  }
}

/** Replaces line breaks by spaces: in valid JSON they only stand outside strings. */
function inOneLine(value: Buffer): Buffer {
  return value.includes('\n') ? Buffer.from(value.toString('latin1').replaceAll('\n', ' '), 'latin1') : value;
}

async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}
