import { Injectable } from '@nestjs/common';
import { toClickHouseTime, toIso } from '@sluice/clickhouse';
import { type EventDetail, type EventList, type EventRow } from '@sluice/console-api';
import { SourceReader } from '@sluice/sources';
import { notFound } from '../http/console-error.js';
import { type Range } from '../http/range.js';
import { type PayloadView } from '../payload/masks.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { withValues } from '../status/series.js';
import { type EventKind, eventKinds } from './event-kinds.js';
import {
  type Cursor,
  detailQuery,
  type EventFilter,
  type FoundRow,
  kindsFor,
  listQuery,
  eventParameters,
} from './events-query.js';

/** Lengths of the newest part of a range to look at, in turn: usually the first has enough rows. */
const looksMs = [600_000, 7_200_000, 86_400_000, Infinity];
/** Rows that are masked and searched for a text at once, and the max number of such chunks. */
const chunkRows = 1_000;
const maxChunks = 5;

export interface EventsQuestion {
  filter: EventFilter;
  range: Range;
  cursor?: Cursor | undefined;
  limit: number;
}

interface Found {
  rows: FoundRow[];
  /** Cursor of the next list; undefined when all of the range was read. */
  next?: Cursor | undefined;
}

/** Reads what is stored, of all kinds, as one list. */
@Injectable()
export class EventsReader {
  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
  ) {}

  async list(user: CurrentUser, view: PayloadView, question: EventsQuestion): Promise<EventList> {
    const { filter, range, cursor } = question;
    const isScan = view.isMasked && filter.text !== undefined;
    const { rows, next } = isScan ? await this.scan(user, view, question) : await this.look(user, question);
    const isUnfinished = isScan && next !== undefined && rows.length < question.limit;
    return {
      range: { from: range.from.toISOString(), to: range.to.toISOString() },
      rows: rows.map((row) => this.viewRow(row, view)),
      next: next ? textOfCursor(next) : null,
      searchedUntil: isUnfinished ? toIso(next.time) : null,
      sql: withValues(
        listQuery(kindsFor(filter), filter, cursor !== undefined),
        eventParameters(filter, range, cursor, question.limit),
      ),
    };
  }

  async show(user: CurrentUser, id: string, view: PayloadView): Promise<EventDetail> {
    const [, topic, partition, offset] = /^([\w.]+):(\d{1,5}):(\d{1,19})$/.exec(id) ?? [];
    const kind = eventKinds.find((eventKind) => eventKind.topic === topic);
    if (!kind) throw notFound('Event not found.');
    const parameters = { partition: partition ?? '', offset: offset ?? '' };
    const query = detailQuery(kind);
    const [row] = await this.tables.select<FoundRow & { payload: string }>(user, query, parameters);
    if (!row)
      throw notFound('This message is not a row of its table: it waits, was refused, or an equal one replaced it.');
    const sql = `SELECT * FROM ${kind.table} WHERE kafka_partition = ${partition ?? ''} AND kafka_offset = ${offset ?? ''} LIMIT 1`;
    const scope = { source: row.source, at: toIso(row.received) };
    return { ...this.viewRow(row, view), payload: view.show(row.payload, scope), sql };
  }

  /** Looks at the newest part of the range, then at longer ones, until there are enough rows. */
  private async look(user: CurrentUser, { filter, range, cursor, limit }: EventsQuestion): Promise<Found> {
    const newest = cursor ? Date.parse(toIso(cursor.time)) + 1 : range.to.getTime();
    const to = new Date(Math.min(newest, range.to.getTime()));
    for (const lookMs of looksMs) {
      const from = new Date(Math.max(range.from.getTime(), to.getTime() - lookMs));
      const rows = await this.select(user, filter, { from, to }, cursor, limit + 1);
      if (rows.length > limit) return { rows: rows.slice(0, limit), next: makeCursor(rows[limit - 1]) };
      if (from.getTime() <= range.from.getTime()) return { rows };
    }
    return { rows: [] };
  }

  /**
   * Searches for a text in what the reader sees, row by row: an answer of ClickHouse, which sees all, would reveal
   * whether a masked value has the text.
   */
  private async scan(user: CurrentUser, view: PayloadView, question: EventsQuestion): Promise<Found> {
    const { text = '', ...filter } = question.filter;
    const searchText = text.toLowerCase();
    const rows: FoundRow[] = [];
    let { cursor } = question;
    for (let chunk = 0; chunk < maxChunks; chunk++) {
      const page = await this.look(user, { ...question, filter, cursor, limit: chunkRows });
      for (const row of page.rows) {
        if (!this.formatVisible(row, view).toLowerCase().includes(searchText)) continue;
        rows.push(row);
        if (rows.length === question.limit) return { rows, next: makeCursor(row) };
      }
      if (!page.next) return { rows };
      cursor = page.next;
    }
    return { rows, next: cursor };
  }

  private async select(
    user: CurrentUser,
    filter: EventFilter,
    range: Range,
    cursor: Cursor | undefined,
    limit: number,
  ): Promise<FoundRow[]> {
    const kinds = kindsFor(filter);
    if (kinds.length === 0) return [];
    const parameters = eventParameters(filter, range, cursor, limit);
    return this.tables.select<FoundRow>(user, listQuery(kinds, filter, cursor !== undefined), parameters);
  }

  /** Everything of a row that the view shows, as one text. */
  private formatVisible(row: FoundRow, view: PayloadView): string {
    const { event, user, entity } = this.viewRow(row, view);
    const scope = { source: row.source, at: toIso(row.received) };
    return [event, user, entity, ...row.bags.map((bag) => view.show(bag, scope).json)].join(' ');
  }

  private viewRow(row: FoundRow, view: PayloadView): EventRow {
    const { topic, place, position, source, request } = row;
    const [receivedAt, storedAt] = [toIso(row.received), toIso(row.stored)];
    const scope = { source, at: receivedAt };
    return {
      id: `${topic}:${place}:${position}`,
      topic,
      table: findTable(topic),
      receivedAt,
      storedAt,
      sourceIdentifier: source,
      sourceName: this.sources.registry.nameOf(source),
      requestId: request,
      event: view.value('event', row.event_name, scope),
      user: view.value('user_id', row.user_name, scope) || view.value('anonymous_id', row.anonymous, scope),
      entity: view.value('entity', row.entity, scope),
    };
  }
}

const findTable = (topic: string): string => eventKinds.find((kind: EventKind) => kind.topic === topic)?.table ?? '';

const makeCursor = (row: FoundRow | undefined): Cursor | undefined =>
  row && { time: row.received, topic: row.topic, partition: row.place, offset: row.position };

/** A cursor as text: `2026-01-31T12:00:00.000Z~tracking.track.v1~3~17`. */
const textOfCursor = ({ time, topic, partition, offset }: Cursor): string =>
  [toIso(time), topic, partition, offset].join('~');

/** @returns undefined unless the text is a cursor. */
export function readCursor(text: string): Cursor | undefined {
  const [, time = '', topic = '', partition = '', offset = ''] =
    /^(\d{4}-\d\d-\d\dT[\d:.]+Z)~([\w.]{1,100})~(\d{1,5})~(\d{1,19})$/.exec(text) ?? [];
  const receivedAt = new Date(time);
  return Number.isNaN(receivedAt.getTime())
    ? undefined
    : { time: toClickHouseTime(receivedAt), topic, partition: Number(partition), offset };
}
