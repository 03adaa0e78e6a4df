import { Injectable } from '@nestjs/common';
import { isObject, trackTopic } from '@sluice/contracts';
import {
  batchDefaults,
  ProblemList,
  Report,
  type SegmentDefaults,
  type SegmentItem,
  segmentItem,
  segmentMessageId,
  type SegmentType,
} from '@sluice/messages';
import { httpError, invalidFields } from '../errors/api-error.js';
import { Acceptance, type Findings, type Item } from '../intake/acceptance.js';
import { inTurns } from '../intake/in-turns.js';
import { Intake, type Queued } from '../intake/intake.js';
import { segmentList } from '../intake/json-outline.js';
import { RequestMessages } from '../intake/request-messages.js';
import { type SourceRequest } from '../intake/source-request.js';
import { newId } from '../new-id.js';
import { refusedRow } from '../tracking/refused-row.js';
import { ItemSizes, maxItemBytes } from './item-sizes.js';
import { segmentEvent, segmentGroup, segmentIdentify } from './segment-kinds.js';

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
  readonly sizes: ItemSizes;
  /** Number of valid items that are stored. */
  taken: number;
  readonly messages: RequestMessages;
  readonly rejected: ProblemList;
  readonly dropped: ProblemList;
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

  /** Reads the envelope. @throws ApiError 400, or 413 when what the batch adds to each item is too large */
  private open(type: SegmentType | undefined, request: SourceRequest): Reading {
    const { body } = request;
    const { value } = body;
    if (!isObject(value)) throw invalidFields([{ field: '', message: 'must be an object' }]);
    if (type !== undefined) return this.reading([value], { type, bytes: 0 }, '', request);
    const { batch } = value;
    const { name, maxItems } = segmentList;
    if (!Array.isArray(batch) || batch.length > maxItems)
      throw invalidFields([{ field: name, message: `must be an array of at most ${maxItems} items` }]);
    // The context is traversed completely, which must not overflow the stack.
    if (isObject(value['context'])) body.assertDepth();
    const report = new Report();
    const defaults = batchDefaults(value, report);
    if (defaults.bytes > maxItemBytes) throw httpError.sharedTooLarge('context', maxItemBytes);
    const reading = this.reading(batch as unknown[], defaults, name, request);
    reading.dropped.addAll(report.dropped);
    return reading;
  }

  private reading(items: unknown[], defaults: SegmentDefaults, list: string, request: SourceRequest): Reading {
    return {
      items,
      defaults,
      list,
      index: 0,
      sizes: new ItemSizes(request.body, defaults.bytes),
      taken: 0,
      messages: new RequestMessages(request),
      rejected: new ProblemList(),
      dropped: new ProblemList(),
      findings: this.acceptance.findings(segmentEvent, request),
    };
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
    const { items, list, defaults, sizes } = reading;
    const sent = items[index];
    const path = list === '' ? '' : `${list}[${index}]`;
    const item = segmentItem(sent, path, defaults);
    const report = new Report();
    const messageId =
      item.messageId === undefined ? newId() : segmentMessageId(request.sourceIdentifier, item.messageId);
    if (!('table' in item)) report.refuse(item.field, item.message);
    else if (sizes.isKnownTooLarge(index)) report.refuse(path, tooLarge);
    else {
      const whole = (): unknown => withDefaults(sent, defaults);
      const read = { body: item.message, path, index, messageId, whole };
      if (this.accepts(item, read, request, reading, report)) return;
    }
    reading.rejected.addAll(report.problems);
    this.keep(request, reading, sent, messageId, report);
  }

  /** Takes a message, unless it is refused and has yet to be kept; the report says why. */
  private accepts(
    { type, table }: SegmentItem,
    item: Item,
    request: SourceRequest,
    reading: Reading,
    report: Report,
  ): boolean {
    const { items, sizes, messages, findings } = reading;
    const sent = items[item.index];
    const keptBefore = findings.kept.length;
    const kind = table === 'events' ? segmentEvent : segmentIdentify;
    const accepted =
      table === 'events'
        ? this.acceptance.accept(type === 'group' ? segmentGroup : segmentEvent, request, item, report, findings)
        : this.acceptance.accept(segmentIdentify, request, item, report, findings);
    if (!accepted) {
      const keptByPlan = findings.kept[keptBefore];
      if (keptByPlan === undefined) return false;
      messages.add(keptByPlan.topic, keptByPlan);
      reading.rejected.addAll(report.problems);
      return true;
    }
    if (accepted.row) {
      const row = JSON.stringify(accepted.row.row);
      if (sizes.isTooLarge(item.index, sent, row, accepted.dropped.length === 0)) {
        report.refuse(item.path, tooLarge);
        return false;
      }
      messages.add(kind.topic, accepted.row, row);
      reading.taken++;
    }
    reading.dropped.addAll(accepted.dropped);
    return true;
  }

  /** Keeps a refused item whole, with its problems. */
  private keep(request: SourceRequest, reading: Reading, sent: unknown, messageId: string, report: Report): void {
    // The item is traversed completely, which must not overflow the stack.
    request.body.assertDepth();
    const { defaults, messages } = reading;
    const { kept, rules } = reading.findings;
    const body = withDefaults(sent, defaults);
    const keptBody = rules ? rules.kept(body, true) : body;
    if (keptBody === undefined) return;
    const { problems } = report;
    const refused = { kind: 'segment', body: keptBody, messageId, reason: 'invalid_fields', problems } as const;
    const row = refusedRow(refused, request);
    messages.add(row.topic, row);
    if (!request.validateOnly) kept.push(row);
  }

  private takeItems(
    request: SourceRequest,
    { items, taken, messages, rejected, dropped, findings }: Reading,
  ): Promise<Queued> {
    const read = { topic: trackTopic, items: items.length, taken, messages, rejected, dropped, findings };
    return this.intake.takeRead(read, request);
  }
}

const tooLarge = `has more than ${maxItemBytes} bytes with what its batch adds`;

/** Must not be a closure of `take`: it would keep the parsed batch until Kafka acknowledges it (see Intake.answer). */
const answerOf = ({ dropped, rejected, violations }: Queued): SegmentAnswer => ({
  success: true,
  ...(dropped && { dropped }),
  ...(rejected && { rejected }),
  ...(violations && { violations }),
});

/** Adds the defaults of its batch to an item, because a replay reads the item without its batch. */
function withDefaults(sent: unknown, { type, sentContext: context, sentAt }: SegmentDefaults): unknown {
  if (!isObject(sent)) return sent;
  const { context: own } = sent;
  const merged = context && (own === undefined || isObject(own)) ? { ...context, ...own } : own;
  return { type, sentAt, ...sent, context: merged };
}
