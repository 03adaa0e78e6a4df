import { Injectable } from '@nestjs/common';
import { isObject, trackTopic } from '@sluice/contracts';
import {
  batchDefaults,
  chooseReplacementTime,
  hasInexactId,
  joinPath,
  ProblemList,
  Report,
  type SegmentDefaults,
  type SegmentItem,
  readSegmentItem,
  segmentMessageId,
  type SegmentType,
  withExactIds,
} from '@sluice/messages';
import { httpError, invalidFields } from '../errors/api-error.js';
import { Acceptance, type RequestFindings } from '../intake/acceptance.js';
import { inTurns } from '../intake/in-turns.js';
import { type IntakeItem } from '../intake/intake-item.js';
import { Intake, type Queued } from '../intake/intake.js';
import { maxDepth, tooDeep } from '../intake/json-body.js';
import { isDeeper } from '../intake/json-depth.js';
import { segmentList } from '../intake/json-outline.js';
import { createMessageId } from '../intake/message-id.js';
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
  /** Levels that an item may have, of those that a body may have. */
  readonly levels: number;
  /** Index of the next item. */
  index: number;
  readonly sizes: ItemSizes;
  /** Number of valid items that are stored. */
  takenCount: number;
  readonly messages: RequestMessages;
  readonly rejected: ProblemList;
  readonly dropped: ProblemList;
  readonly findings: RequestFindings;
}

/** An item as it was sent, with its id and where it stands. */
interface SentItem {
  readonly sent: unknown;
  readonly index: number;
  readonly path: string;
  readonly messageId: string;
}

/** Levels of a batch and of its list, which are around an item. */
const levelsAround = 2;

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
    return queued.then(toSegmentAnswer);
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
    if (isDeeper(value['context'], maxDepth - levelsAround)) throw httpError.malformed(`context ${tooDeep}`);
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
      levels: list === '' ? maxDepth : maxDepth - levelsAround,
      index: 0,
      sizes: new ItemSizes(request.body, defaults.bytes),
      takenCount: 0,
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
    const { body, sourceIdentifier } = request;
    const path = list === '' ? '' : `${list}[${index}]`;
    const parsed = items[index];
    const exact = hasInexactId(parsed) ? withExactIds(parsed, () => readItemText(request, reading, index)) : undefined;
    const sent = exact ? exact.item : parsed;
    const item = readSegmentItem(sent, path, defaults);
    const report = new Report();
    const messageId =
      item.messageId === undefined
        ? this.idFor(request, reading, index, sent)
        : segmentMessageId(sourceIdentifier, item.messageId);
    const read = { sent, index, path, messageId };
    const fault = body.itemFault(index);
    if (fault !== undefined) report.refuse(path, fault);
    else if (exact?.unknownId !== undefined) report.refuse(joinPath(path, exact.unknownId), mustBeText);
    else if (!('table' in item)) report.refuse(item.field, item.message);
    else if (sizes.isKnownTooLarge(index)) report.refuse(path, tooLarge);
    else if (this.acceptsInTime(item, read, request, reading, report)) return;
    reading.rejected.addAll(report.problems);
    this.keep(request, reading, read, report);
  }

  /** The id of a message whose client gave it none: the same for the same item under the same Idempotency-Key. */
  private idFor(request: SourceRequest, { levels }: Reading, index: number, sent: unknown): string {
    // The item is traversed completely, which must not overflow the stack.
    return request.idempotencyKey === undefined || isDeeper(sent, levels)
      ? newId()
      : createMessageId(request, index, sent);
  }

  /** Takes a message like `accepts`; one that is refused for its timestamp alone is taken without it. */
  private acceptsInTime(
    item: SegmentItem,
    read: SentItem,
    request: SourceRequest,
    reading: Reading,
    report: Report,
  ): boolean {
    if (this.accepts(item, read, request, reading, report)) return true;
    const [problem, another] = report.problems;
    const field = joinPath(read.path, 'timestamp');
    if (problem?.field !== field || another !== undefined) return false;
    const time = chooseReplacementTime(read.sent);
    const second = new Report();
    second.drop(field, time.dropped);
    const message = { ...item.message, timestamp: time.timestamp };
    if (this.accepts({ ...item, message }, read, request, reading, second)) return true;
    for (const { field: name, message: words } of second.problems) report.refuse(name, words);
    return false;
  }

  /** Takes a message, unless it is refused and has yet to be kept; the report says why. */
  private accepts(
    { type, table, message }: SegmentItem,
    { sent, index, path, messageId }: SentItem,
    request: SourceRequest,
    reading: Reading,
    report: Report,
  ): boolean {
    const { sizes, messages, findings, defaults, levels } = reading;
    const whole = (): unknown => withDefaults(sent, defaults);
    const item: IntakeItem = { body: message, path, index, messageId, whole, levels };
    const keptBefore = findings.keptRows.length;
    const kind = table === 'events' ? segmentEvent : segmentIdentify;
    const accepted =
      table === 'events'
        ? this.acceptance.accept(type === 'group' ? segmentGroup : segmentEvent, request, item, report, findings)
        : this.acceptance.accept(segmentIdentify, request, item, report, findings);
    if (!accepted) {
      const keptByPlan = findings.keptRows[keptBefore];
      if (keptByPlan === undefined) return false;
      messages.add(keptByPlan.topic, keptByPlan);
      reading.rejected.addAll(report.problems);
      return true;
    }
    if (accepted.row) {
      const row = JSON.stringify(accepted.row.row);
      if (sizes.isTooLarge(index, sent, row, accepted.dropped.length === 0)) {
        report.refuse(path, tooLarge);
        return false;
      }
      messages.add(kind.topic, accepted.row, row);
      reading.takenCount++;
    }
    reading.dropped.addAll(accepted.dropped);
    return true;
  }

  /** Keeps a refused item whole, with its problems; one that cannot be read, as the text that was sent. */
  private keep(request: SourceRequest, reading: Reading, { sent, index, messageId }: SentItem, report: Report): void {
    const { defaults, messages, levels } = reading;
    const { keptRows, rules } = reading.findings;
    const isReadable = request.body.itemFault(index) === undefined && !isDeeper(sent, levels);
    const body = isReadable ? applyRules(withDefaults(sent, defaults), rules) : undefined;
    // No rule holds for a text.
    const text = isReadable || rules ? undefined : readItemText(request, reading, index);
    if (body === undefined && !text) return;
    const { problems } = report;
    const refused = { kind: 'segment', body, text, messageId, reason: 'invalid_fields', problems } as const;
    const row = refusedRow(refused, request);
    messages.add(row.topic, row);
    if (!request.validateOnly) keptRows.push(row);
  }

  private takeItems(
    request: SourceRequest,
    { items, takenCount, messages, rejected, dropped, findings }: Reading,
  ): Promise<Queued> {
    const read = { topic: trackTopic, items: items.length, takenCount, messages, rejected, dropped, findings };
    return this.intake.takeRead(read, request);
  }
}

const mustBeText = 'must be text, because not all digits of this number are known';
const tooLarge = `has more than ${maxItemBytes} bytes with what its batch adds`;

/** Must not be a closure of `take`: it would keep the parsed batch until Kafka acknowledges it (see Intake.answer). */
const toSegmentAnswer = ({ dropped, rejected, violations }: Queued): SegmentAnswer => ({
  success: true,
  ...(dropped && { dropped }),
  ...(rejected && { rejected }),
  ...(violations && { violations }),
});

/** Text of an item as it was sent: of its batch, or the body of a single call. */
const readItemText = ({ body }: SourceRequest, { list }: Reading, index: number): string =>
  list === '' ? body.bytes.toString('utf8') : body.itemText(index);

const applyRules = (body: unknown, rules: RequestFindings['rules']): unknown =>
  rules ? rules.applyToRefused(body, true) : body;

/** Adds the defaults of its batch to an item, because a replay reads the item without its batch. */
function withDefaults(sent: unknown, { type, sentContext: context, sentAt }: SegmentDefaults): unknown {
  if (!isObject(sent)) return sent;
  const { context: itemContext } = sent;
  const merged =
    context && (itemContext === undefined || isObject(itemContext)) ? { ...context, ...itemContext } : itemContext;
  return { type, sentAt, ...sent, context: merged };
}
