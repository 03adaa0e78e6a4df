import { Injectable } from '@nestjs/common';
import { toClickHouseTime } from '@sluice/clickhouse';
import { type Ledger, type LedgerFinding } from '@sluice/console-api';
import {
  DeadLetterBox,
  type Kafka,
  type KafkaConfig,
  offsetsBetween,
  partitionKey,
  readConfirmed,
  type ReadMessage,
  readOffsets,
} from '@sluice/kafka';
import { type Destination, withKafka } from '@sluice/operations';
import { type Range } from '../http/range.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

/** Number of steps of a check: the log, rows, offsets without a row, and why they have none. */
export const ledgerSteps = 4;
const limitMs = 60_000;
const dayMs = 24 * 3_600_000;
/** Max number of offsets without a row that are looked for one by one. */
const maxMissing = 10_000;
const maxFindings = 100;
const maxLetters = 100_000;

interface Part {
  partition: number;
  from: bigint;
  end: bigint;
}

type Offsets = Map<number, Set<bigint>>;

/** Messages of a topic and a range in Kafka, and the offsets that its consumer had confirmed. */
interface InKafka {
  parts: Part[];
  confirmed: ReadonlyMap<string, bigint>;
}

interface Counted {
  rows: bigint;
  doubled: bigint;
  findings: LedgerFinding[];
}

/** Compares the offsets of a topic with the rows of its table. */
@Injectable()
export class LedgerReader {
  constructor(
    private readonly config: KafkaConfig,
    private readonly tables: Tables,
  ) {}

  read(user: CurrentUser, destination: Destination, range: Range, onStep: (step: number) => void): Promise<Ledger> {
    return withKafka(this.config, limitMs, async (kafka) => {
      const startedAt = performance.now();
      // Ends of the log, confirmed offsets, then rows: a confirmed message is then a row, a repeat or a dead letter.
      onStep(1);
      const inKafka = await this.inKafka(kafka, destination, range);
      const { parts } = inKafka;
      onStep(2);
      const rowCounts = await this.countRows(user, destination, range, parts);
      const probes = await this.countProbes(user, destination, range, parts);
      const offsets = parts.reduce((sum, { from, end }) => sum + (end - from), -probes);
      onStep(3);
      const unexplained = await this.withoutRow(user, destination, range, parts);
      onStep(4);
      const explained = await this.explain(user, kafka, destination, { ...inKafka, unexplained });
      const missing = explained.missing;
      const isTooMany = countOffsets(unexplained) > maxMissing;
      return {
        topic: destination.topic,
        table: destination.table,
        range: { from: range.from.toISOString(), to: range.to.toISOString() },
        offsets: String(offsets - BigInt(explained.holes)),
        rows: String(rowCounts.rows),
        deadLetters: String(explained.letters),
        repeats: String(explained.repeats),
        waiting: String(explained.waiting),
        doubled: String(rowCounts.doubled),
        missing: String(missing.length),
        isWhole: missing.length === 0 && rowCounts.doubled === 0n && !isTooMany,
        findings: [...missing, ...rowCounts.findings].slice(0, maxFindings),
        remark: isTooMany ? `More than ${maxMissing} offsets have no row; only the first were looked for.` : null,
        tookMs: Math.round(performance.now() - startedAt),
        sql: `SELECT kafka_partition, min(kafka_offset), max(kafka_offset), count(), uniqExact(kafka_offset) FROM ${destination.table} WHERE ${formatPlaces(parts)} GROUP BY kafka_partition`,
      };
    });
  }

  private async inKafka(kafka: Kafka, { topic, group }: Destination, { from, to }: Range): Promise<InKafka> {
    const parts = await offsetsBetween(kafka, topic, from.getTime(), to.getTime());
    return {
      parts: parts.filter((part) => part.from < part.end),
      confirmed: await readConfirmed(kafka, new Map([[group, [topic]]])),
    };
  }

  private async countRows(
    user: CurrentUser,
    { table }: Destination,
    range: Range,
    parts: readonly Part[],
  ): Promise<Counted> {
    if (parts.length === 0) return { rows: 0n, doubled: 0n, findings: [] };
    const ranged = `${formatPlaces(parts)} AND ${withinTimes}`;
    const [total] = await this.tables.select<{ found: string; all: string }>(
      user,
      `SELECT uniqExact(kafka_partition, kafka_offset) AS found, count() AS all FROM ${table} WHERE ${ranged}`,
      buildTimeBounds(range),
    );
    const [distinctRows, allRows] = [BigInt(total?.found ?? 0), BigInt(total?.all ?? 0)];
    if (distinctRows === allRows) return { rows: distinctRows, doubled: 0n, findings: [] };
    const doubled = await this.tables.select<{
      partition: number;
      offset: string;
      id: string;
      request: string;
      rows: string;
    }>(
      user,
      `SELECT kafka_partition AS partition, toString(kafka_offset) AS offset, toString(any(message_id)) AS id,
         toString(any(request_id)) AS request, count() AS rows
       FROM ${table} WHERE ${ranged} GROUP BY kafka_partition, kafka_offset HAVING count() > 1 LIMIT ${maxFindings}`,
      buildTimeBounds(range),
    );
    const findings = doubled.map(({ partition, offset, id, request, rows }): LedgerFinding => ({
      kind: 'doubled',
      partition,
      offset,
      messageId: id,
      requestId: request,
      rows: Number(rows),
    }));
    return { rows: distinctRows, doubled: allRows - distinctRows, findings };
  }

  /** Probes of the canary lie between events, and in a table of their own. */
  private async countProbes(
    user: CurrentUser,
    { table }: Destination,
    range: Range,
    parts: readonly Part[],
  ): Promise<bigint> {
    if (table !== probedTable || parts.length === 0) return 0n;
    const [count] = await this.tables.select<{ probes: string }>(
      user,
      `SELECT toString(uniqExact(kafka_partition, kafka_offset)) AS probes FROM canary_probes WHERE ${formatPlaces(parts)} AND ${withinTimes}`,
      buildTimeBounds(range),
    );
    return BigInt(count?.probes ?? 0);
  }

  /** Offsets of the log that no row has. */
  private async withoutRow(
    user: CurrentUser,
    { table }: Destination,
    range: Range,
    parts: readonly Part[],
  ): Promise<Offsets> {
    const offsetsWithoutRow: Offsets = new Map();
    for (const part of parts) {
      const rows = await this.tables.select<{ offset: string }>(
        user,
        `SELECT toString(number) AS offset FROM numbers(${part.from}, ${part.end - part.from})
         WHERE number NOT IN (SELECT kafka_offset FROM ${table} WHERE ${formatPlaces([part])} AND ${withinTimes})
           ${withoutProbes(table, part)} LIMIT ${maxMissing + 1}`,
        buildTimeBounds(range),
      );
      if (rows.length > 0) offsetsWithoutRow.set(part.partition, new Set(rows.map(({ offset }) => BigInt(offset))));
      if (countOffsets(offsetsWithoutRow) > maxMissing) break;
    }
    return offsetsWithoutRow;
  }

  private async explain(
    user: CurrentUser,
    kafka: Kafka,
    { topic, table }: Destination,
    { confirmed, unexplained }: InKafka & { unexplained: Offsets },
  ): Promise<{ letters: number; waiting: number; repeats: number; holes: number; missing: LedgerFinding[] }> {
    const before = countOffsets(unexplained);
    if (before === 0) return { letters: 0, waiting: 0, repeats: 0, holes: 0, missing: [] };
    const keep = (stays: (partition: number, offset: bigint) => boolean): number => {
      const was = countOffsets(unexplained);
      for (const [partition, offsets] of unexplained) {
        for (const offset of offsets) if (!stays(partition, offset)) offsets.delete(offset);
      }
      return was - countOffsets(unexplained);
    };
    const waiting = keep((partition, offset) => offset < (confirmed.get(partitionKey({ topic, partition })) ?? 0n));
    const lost = await this.lettersAt(kafka, topic, unexplained);
    const letters = keep((partition, offset) => !lost.has(`${partition}:${offset}`));
    const messages = countOffsets(unexplained) === 0 ? [] : await readOffsets(kafka, topic, unexplained);
    const stored = await this.storedIds(user, table, messages);
    const messageByPlace = new Map(messages.map((message) => [`${message.partition}:${message.offset}`, message]));
    const holes = keep((partition, offset) => messageByPlace.has(`${partition}:${offset}`));
    const repeats = keep(
      (partition, offset) => !stored.has(readMessageId(messageByPlace.get(`${partition}:${offset}`)) ?? ''),
    );
    const missing = messages
      .filter(({ partition, offset }) => unexplained.get(partition)?.has(BigInt(offset)))
      .map((message): LedgerFinding => ({
        kind: 'missing',
        partition: message.partition,
        offset: message.offset,
        rows: 0,
        messageId: readMessageId(message) ?? null,
        requestId: message.requestId || null,
      }));
    return { letters, waiting, repeats, holes, missing };
  }

  private async lettersAt(kafka: Kafka, topic: string, offsets: Offsets): Promise<ReadonlySet<string>> {
    if (countOffsets(offsets) === 0) return new Set();
    const matches = (letter: { topic: string; partition: number; offset: string }): boolean =>
      letter.topic === topic && offsets.get(letter.partition)?.has(BigInt(letter.offset)) === true;
    const letters = await new DeadLetterBox(kafka).read({ topics: [topic], limit: maxLetters, matches, isEach: true });
    return new Set(letters.map(({ partition, offset }) => `${partition}:${offset}`));
  }

  private async storedIds(
    user: CurrentUser,
    table: string,
    messages: readonly ReadMessage[],
  ): Promise<ReadonlySet<string>> {
    const ids = messages.flatMap((message) => readMessageId(message) ?? []);
    if (ids.length === 0) return new Set();
    const query = `SELECT DISTINCT toString(message_id) AS id FROM ${table} WHERE message_id IN ({ids:Array(UUID)})`;
    const rows = await this.tables.select<{ id: string }>(user, query, { ids });
    return new Set(rows.map(({ id }) => id));
  }
}

/** The only table whose topic also carries the canary's probes. */
const probedTable = 'events';

const withoutProbes = (table: string, part: Part): string =>
  table === probedTable
    ? `AND number NOT IN (SELECT kafka_offset FROM canary_probes WHERE ${formatPlaces([part])} AND ${withinTimes})`
    : '';

const countOffsets = (offsets: Offsets): number => [...offsets.values()].reduce((sum, { size }) => sum + size, 0);

const formatPlaces = (parts: readonly Part[]): string =>
  `(${parts.map(({ partition, from, end }) => `kafka_partition = ${partition} AND kafka_offset >= ${from} AND kafka_offset < ${end}`).join(' OR ')})`;

/** A recreated topic repeats offsets, not times. */
const withinTimes = 'kafka_timestamp BETWEEN {earliest:DateTime64(3)} AND {latest:DateTime64(3)}';
const buildTimeBounds = ({ from, to }: Range) => ({
  earliest: toClickHouseTime(new Date(from.getTime() - dayMs)),
  latest: toClickHouseTime(new Date(to.getTime() + dayMs)),
});

function readMessageId(message: ReadMessage | undefined): string | undefined {
  return /"message_id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/.exec(message?.value?.toString() ?? '')?.[1];
}
