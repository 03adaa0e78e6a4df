import { Injectable } from '@nestjs/common';
import { type Ledger, type LedgerFinding } from '@sluice/console-api';
import {
  DeadLetterBox,
  type Kafka,
  type KafkaConfig,
  offsetsBetween,
  readConfirmed,
  type ReadMessage,
  readOffsets,
} from '@sluice/kafka';
import { type Destination, withKafka } from '@sluice/operations';
import { type Range } from '../http/range.js';
import { Tables, timeParameter } from '../servers/tables.js';
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

/** What Kafka holds of a topic and a range, and what its consumer had confirmed. */
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
      const counted = await this.countRows(user, destination, range, parts);
      const offsets = parts.reduce((sum, { from, end }) => sum + (end - from), 0n);
      onStep(3);
      const unexplained = await this.withoutRow(user, destination, range, parts);
      onStep(4);
      const explained = await this.explain(user, kafka, destination, { ...inKafka, unexplained });
      const missing = explained.missing;
      const isTooMany = countOf(unexplained) > maxMissing;
      return {
        topic: destination.topic,
        table: destination.table,
        range: { from: range.from.toISOString(), to: range.to.toISOString() },
        offsets: String(offsets - BigInt(explained.holes)),
        rows: String(counted.rows),
        deadLetters: String(explained.letters),
        repeats: String(explained.repeats),
        waiting: String(explained.waiting),
        doubled: String(counted.doubled),
        missing: String(missing.length),
        isWhole: missing.length === 0 && counted.doubled === 0n && !isTooMany,
        findings: [...missing, ...counted.findings].slice(0, maxFindings),
        remark: isTooMany ? `More than ${maxMissing} offsets have no row; only the first were looked for.` : null,
        tookMs: Math.round(performance.now() - startedAt),
        sql: `SELECT kafka_partition, min(kafka_offset), max(kafka_offset), count(), uniqExact(kafka_offset) FROM ${destination.table} WHERE ${placesOf(parts)} GROUP BY kafka_partition`,
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
    const ranged = `${placesOf(parts)} AND ${timesOf}`;
    const [total] = await this.tables.select<{ found: string; all: string }>(
      user,
      `SELECT uniqExact(kafka_partition, kafka_offset) AS found, count() AS all FROM ${table} WHERE ${ranged}`,
      parametersOf(range),
    );
    const [found, all] = [BigInt(total?.found ?? 0), BigInt(total?.all ?? 0)];
    if (found === all) return { rows: found, doubled: 0n, findings: [] };
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
      parametersOf(range),
    );
    const findings = doubled.map(({ partition, offset, id, request, rows }): LedgerFinding => ({
      kind: 'doubled',
      partition,
      offset,
      messageId: id,
      requestId: request,
      rows: Number(rows),
    }));
    return { rows: found, doubled: all - found, findings };
  }

  /** Offsets of the log that no row has. */
  private async withoutRow(
    user: CurrentUser,
    { table }: Destination,
    range: Range,
    parts: readonly Part[],
  ): Promise<Offsets> {
    const found: Offsets = new Map();
    for (const part of parts) {
      const rows = await this.tables.select<{ offset: string }>(
        user,
        `SELECT toString(number) AS offset FROM numbers(${part.from}, ${part.end - part.from})
         WHERE number NOT IN (SELECT kafka_offset FROM ${table} WHERE ${placesOf([part])} AND ${timesOf}) LIMIT ${maxMissing + 1}`,
        parametersOf(range),
      );
      if (rows.length > 0) found.set(part.partition, new Set(rows.map(({ offset }) => BigInt(offset))));
      if (countOf(found) > maxMissing) break;
    }
    return found;
  }

  private async explain(
    user: CurrentUser,
    kafka: Kafka,
    { topic, table }: Destination,
    { confirmed, unexplained }: InKafka & { unexplained: Offsets },
  ): Promise<{ letters: number; waiting: number; repeats: number; holes: number; missing: LedgerFinding[] }> {
    const before = countOf(unexplained);
    if (before === 0) return { letters: 0, waiting: 0, repeats: 0, holes: 0, missing: [] };
    const keep = (stays: (partition: number, offset: bigint) => boolean): number => {
      const was = countOf(unexplained);
      for (const [partition, offsets] of unexplained) {
        for (const offset of offsets) if (!stays(partition, offset)) offsets.delete(offset);
      }
      return was - countOf(unexplained);
    };
    const waiting = keep((partition, offset) => offset < (confirmed.get(`${topic}:${partition}`) ?? 0n));
    const lost = await this.lettersAt(kafka, topic, unexplained);
    const letters = keep((partition, offset) => !lost.has(`${partition}:${offset}`));
    const messages = countOf(unexplained) === 0 ? [] : await readOffsets(kafka, topic, unexplained);
    const stored = await this.storedIds(user, table, messages);
    const found = new Map(messages.map((message) => [`${message.partition}:${message.offset}`, message]));
    const holes = keep((partition, offset) => found.has(`${partition}:${offset}`));
    const repeats = keep((partition, offset) => !stored.has(idOf(found.get(`${partition}:${offset}`)) ?? ''));
    const missing = messages
      .filter(({ partition, offset }) => unexplained.get(partition)?.has(BigInt(offset)))
      .map((message): LedgerFinding => ({
        kind: 'missing',
        partition: message.partition,
        offset: message.offset,
        rows: 0,
        messageId: idOf(message) ?? null,
        requestId: message.requestId || null,
      }));
    return { letters, waiting, repeats, holes, missing };
  }

  private async lettersAt(kafka: Kafka, topic: string, offsets: Offsets): Promise<ReadonlySet<string>> {
    if (countOf(offsets) === 0) return new Set();
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
    const ids = messages.flatMap((message) => idOf(message) ?? []);
    if (ids.length === 0) return new Set();
    const query = `SELECT DISTINCT toString(message_id) AS id FROM ${table} WHERE message_id IN ({ids:Array(UUID)})`;
    const rows = await this.tables.select<{ id: string }>(user, query, { ids });
    return new Set(rows.map(({ id }) => id));
  }
}

const countOf = (offsets: Offsets): number => [...offsets.values()].reduce((sum, { size }) => sum + size, 0);

const placesOf = (parts: readonly Part[]): string =>
  `(${parts.map(({ partition, from, end }) => `kafka_partition = ${partition} AND kafka_offset >= ${from} AND kafka_offset < ${end}`).join(' OR ')})`;

/** A recreated topic repeats offsets, not times. */
const timesOf = 'kafka_timestamp BETWEEN {earliest:DateTime64(3)} AND {latest:DateTime64(3)}';
const parametersOf = ({ from, to }: Range) => ({
  earliest: timeParameter(new Date(from.getTime() - dayMs)),
  latest: timeParameter(new Date(to.getTime() + dayMs)),
});

function idOf(message: ReadMessage | undefined): string | undefined {
  return /"message_id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/.exec(message?.value?.toString() ?? '')?.[1];
}
