import { Injectable } from '@nestjs/common';
import { isObject, trackTopic } from '@sluice/contracts';
import {
  type Problem,
  Report,
  type SegmentDefaults,
  segmentItem,
  segmentMessageId,
  type SegmentType,
} from '@sluice/messages';
import { invalidFields } from '../errors/api-error.js';
import { Acceptance, type Findings } from '../intake/acceptance.js';
import { inTurns } from '../intake/in-turns.js';
import { Intake, type Queued } from '../intake/intake.js';
import { type OutgoingRow } from '../intake/outgoing-row.js';
import { segmentList } from '../intake/json-outline.js';
import { type SourceRequest } from '../intake/source-request.js';
import { newId } from '../new-id.js';
import { refusedRow } from '../tracking/refused-row.js';
import { segmentEvent, segmentIdentify } from './segment-kinds.js';

/** The answer: `success`, which clients of Segment look for, and problems, which people see with curl. */
export interface SegmentAnswer extends Omit<Queued, 'status'> {
  success: true;
}

/** The items of a request, and the results of those read so far. */
interface Reading {
  readonly items: readonly unknown[];
  readonly defaults: SegmentDefaults;
  /** Name of the list in paths; empty for a single call. */
  readonly list: string;
  /** Index of the next item. */
  index: number;
  readonly rows: OutgoingRow[];
  readonly rejected: Problem[];
  readonly dropped: Problem[];
  readonly findings: Findings;
}

/** Takes all valid items that clients of Segment send, and keeps the others whole for a later replay (decision 72). */
@Injectable()
export class SegmentIntake {
  constructor(
    private readonly acceptance: Acceptance,
    private readonly intake: Intake,
  ) {}

  /**
   * @param type the call of a path for single messages; undefined for a batch
   * @throws ApiError 400 when the body is not an object or has no valid list; else like `Intake.takeRead`.
   */
  take(type: SegmentType | undefined, request: SourceRequest): Promise<SegmentAnswer> {
    let reading: Reading | undefined;
    const queued = inTurns(request, (until) => {
      if (!request.body.parseUntil(until)) return undefined;
      reading ??= this.open(type, request);
      return this.readItems(request, reading, until) ? this.takeItems(request, reading) : undefined;
    });
    return queued.then(answerOf);
  }

  private open(type: SegmentType | undefined, request: SourceRequest): Reading {
    const { value } = request.body;
    if (!isObject(value)) throw invalidFields([{ field: '', message: 'must be an object' }]);
    const findings = this.acceptance.findings(segmentEvent, request);
    const nothing = { index: 0, rows: [], rejected: [], dropped: [], findings };
    if (type !== undefined) return { items: [value], defaults: { type }, list: '', ...nothing };
    const { batch, context, sentAt } = value;
    const { name, maxItems } = segmentList;
    if (!Array.isArray(batch) || batch.length > maxItems)
      throw invalidFields([{ field: name, message: `must be an array of at most ${maxItems} items` }]);
    const defaults = { context: isObject(context) ? context : undefined, sentAt };
    return { items: batch as unknown[], defaults, list: name, ...nothing };
  }

  /** Reads items until the end of a turn, one at least. Returns whether all are read. */
  private readItems(request: SourceRequest, reading: Reading, until: number): boolean {
    while (reading.index < reading.items.length) {
      this.readItem(request, reading, reading.index++);
      if (performance.now() > until) break;
    }
    return reading.index >= reading.items.length;
  }

  private readItem(request: SourceRequest, reading: Reading, index: number): void {
    const { items, list, defaults, findings } = reading;
    const sent = items[index];
    const path = list === '' ? '' : `${list}[${index}]`;
    const item = segmentItem(sent, path, defaults);
    const report = new Report();
    const messageId =
      item.messageId === undefined ? newId() : segmentMessageId(request.sourceIdentifier, item.messageId);
    if (!('table' in item)) {
      report.refuse(item.field, item.message);
      this.keep(request, reading, withDefaults(sent, defaults), messageId, report);
      return;
    }
    const { table, message: body } = item;
    const kept = findings.kept.length;
    const whole = () => withDefaults(sent, defaults);
    const read = { body, path, index, messageId, whole };
    const kind = table === 'events' ? segmentEvent : segmentIdentify;
    const accepted =
      table === 'events'
        ? this.acceptance.accept(segmentEvent, request, read, report, findings)
        : this.acceptance.accept(segmentIdentify, request, read, report, findings);
    if (accepted) {
      if (accepted.row) reading.rows.push({ topic: kind.topic, ...accepted.row });
      for (const problem of accepted.dropped) reading.dropped.push(problem);
    } else if (findings.kept.length > kept) reading.rejected.push(...report.problems);
    else this.keep(request, reading, whole(), messageId, report);
  }

  /** Keeps a refused item whole, with its problems. */
  private keep(request: SourceRequest, reading: Reading, body: unknown, messageId: string, report: Report): void {
    // The item is traversed completely, which must not overflow the stack.
    request.body.assertDepth();
    const { problems } = report;
    for (const problem of problems) reading.rejected.push(problem);
    if (request.validateOnly) return;
    const { kept, rules } = reading.findings;
    const keptBody = rules ? rules.kept(body, true) : body;
    if (keptBody === undefined) return;
    const refused = { kind: 'segment', body: keptBody, messageId, reason: 'invalid_fields', problems } as const;
    kept.push(refusedRow(refused, request));
  }

  private takeItems(request: SourceRequest, { items, rows, rejected, dropped, findings }: Reading): Promise<Queued> {
    const read = { topic: trackTopic, items: items.length, taken: rows.length, rows, rejected, dropped, findings };
    return this.intake.takeRead(read, request);
  }
}

/** Must not be a closure of `take`: it would keep the parsed batch until Kafka acknowledges it (see Intake.answer). */
const answerOf = ({ dropped, rejected, violations }: Queued): SegmentAnswer => ({
  success: true,
  ...(dropped && { dropped }),
  ...(rejected && { rejected }),
  ...(violations && { violations }),
});

/** Adds the defaults of its batch to an item, because a replay reads the item without its batch. */
function withDefaults(sent: unknown, { type, context, sentAt }: SegmentDefaults): unknown {
  if (!isObject(sent)) return sent;
  const { context: own } = sent;
  const merged = context && (own === undefined || isObject(own)) ? { ...context, ...own } : own;
  return { type, sentAt, ...sent, context: merged };
}
