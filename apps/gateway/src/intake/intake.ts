import { Injectable } from '@nestjs/common';
import { BatchEnvelope, type Topic } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { boundProblems, MessageReader, type Problem, ProblemList, Report } from '@sluice/messages';
import { SpanKind, withinSpan } from '@sluice/service';
import { type ApiError, invalidFields } from '../errors/api-error.js';
import { Outbox } from '../spool/outbox.js';
import { SourceMetrics } from '../limits/source-metrics.js';
import { SuppressedRows } from '../privacy/suppressed-rows.js';
import { RefusedLog } from '../refused/refused-log.js';
import { type QuotaCounts } from '../limits/quotas.js';
import { SourceLimiter } from '../limits/source-limiter.js';
import { Acceptance, type AcceptedMessage, type RequestFindings } from './acceptance.js';
import { inTurns } from './in-turns.js';
import { type IntakeKind } from './intake-kind.js';
import { IntakeMetrics } from './intake-metrics.js';
import { type OutgoingRow } from './outgoing-row.js';
import { RequestMessages } from './request-messages.js';
import { type IncomingRequest, type SourceRequest } from './source-request.js';

/** The answer to a taken request: docs/api.md#the-acknowledgement. */
export interface Queued {
  status: 'QUEUED';
  /** Values and unknown fields that are not stored; absent when everything is stored. */
  dropped?: Problem[];
  /** Problems of refused items of a batch; only with `Prefer: handling=lenient`. */
  rejected?: Problem[];
  /** Violations of the source's tracking plan; only with `?validate=only`. */
  violations?: Problem[];
}

/** The items that were read from a request, and the messages to publish. */
export interface ReadItems {
  /** Topic by which the log of refusals names the items. */
  topic: Topic;
  items: number;
  /** Number of valid items that are stored. */
  takenCount: number;
  /** Messages of valid items, and of refused ones that are kept whole. */
  messages: RequestMessages;
  /** Problems of refused items. */
  rejected: ProblemList;
  dropped: ProblemList;
  findings: RequestFindings;
}

/** A batch whose items are being read. */
interface Reading<T> {
  readonly list: readonly unknown[];
  /** Index of the next item. */
  index: number;
  readonly takenItems: AcceptedMessage<T>[];
  /** Problems of refused items. */
  readonly rejected: ProblemList;
  readonly dropped: ProblemList;
  readonly findings: RequestFindings;
  /** Index of the next item whose row becomes a message, once all items are read. */
  rowIndex: number;
  readonly messages: RequestMessages;
}

/** The messages of a request that are being published. */
interface Publishing {
  published: Promise<void>;
  /** Numbers of its messages by the quota that counts them. */
  counts: QuotaCounts;
  /** The answer when it is durable, if the other messages of the request are over their quota. */
  exceeded?: ApiError;
}

/** Result of a taken request: input of the answer and of the metrics. */
interface Outcome {
  source: string;
  /** Number of taken messages. */
  takenCount: number;
  /** Entries for values that are not stored, up to the limit of an answer. */
  dropped: Problem[];
  droppedByReason: ReadonlyMap<string, number>;
  /** Problems of refused items, up to the limit of an answer. */
  rejected: Problem[];
  /** Number of refused items, each of which can have several problems. */
  rejectedItems: number;
  violations: Problem[];
  /** Number of refused messages that are kept whole. */
  keptCount: number;
  /** Number of messages that are not stored, because they do not grant the consent that the source requires. */
  withoutConsent: number;
  validateOnly: boolean;
}

/** Rows that become messages between two looks at the clock. */
const rowsPerLook = 8;
const noRows: readonly OutgoingRow[] = [];

const envelopes = new MessageReader(BatchEnvelope);

/** Turns a request into acknowledged rows: validates, shapes, publishes, answers. */
@Injectable()
export class Intake {
  constructor(
    private readonly acceptance: Acceptance,
    private readonly outbox: Outbox,
    private readonly metrics: IntakeMetrics,
    private readonly sourceMetrics: SourceMetrics,
    private readonly limits: SourceLimiter,
    private readonly log: RefusedLog,
    private readonly suppressed: SuppressedRows,
  ) {}

  /**
   * Takes the body as one message.
   * @throws ApiError at once when the message is refused, or rejects with it when the message is kept; rejects with
   * NotPublishedError when it is not durable.
   */
  take<T extends object>(kind: IntakeKind<T>, request: SourceRequest): Promise<Queued> {
    const report = new Report();
    const { ignored } = request.timeOfSending;
    if (ignored) report.drop(ignored.field, ignored.message);
    const findings = this.acceptance.findings(kind, request);
    const item = { body: request.body.value, path: '', index: 0 };
    const accepted = this.acceptance.accept(kind, request, item, report, findings);
    if (!accepted) return this.refuse(boundProblems(report.problems), findings, request);
    const { sourceIdentifier: source, validateOnly } = request;
    const messages = new RequestMessages(request);
    if (accepted.row)
      messages.add(kind.topic, accepted.row).addAll(kind.extraRows?.(accepted.message, request) ?? noRows);
    const { withoutConsent } = findings;
    const takenCount = 1 - withoutConsent;
    const publishing = this.publishWithin(messages, findings, request);
    const dropped = summarizeProblems(accepted.dropped);
    if (dropped.dropped.length > 0) this.sample(kind, request, dropped.dropped, []);
    return this.answer(publishing, {
      source,
      takenCount,
      ...dropped,
      rejected: [],
      rejectedItems: 0,
      violations: boundProblems(findings.violations),
      keptCount: 0,
      withoutConsent,
      validateOnly,
    });
  }

  /**
   * Takes the body as a batch: all items or none, unless the client prefers lenient handling. A batch that takes long
   * is read in several turns.
   * @throws ApiError at once when the batch is refused in its first turn, else rejects with it; rejects with
   * NotPublishedError when it is not durable.
   */
  takeBatch<T extends object>(kind: IntakeKind<T>, request: SourceRequest): Promise<Queued> {
    let reading: Reading<T> | undefined;
    return inTurns(request, (until) => {
      if (!request.body.parseUntil(until)) return undefined;
      reading ??= this.open(kind, request);
      return this.readItems(kind, request, reading, until) ? this.takeItems(kind, request, reading, until) : undefined;
    });
  }

  /** Reads the envelope of a batch. @throws ApiError */
  private open<T extends object>(kind: IntakeKind<T>, request: SourceRequest): Reading<T> {
    const { body } = request;
    const envelope = new Report();
    const batch = envelopes.read(body.value, '', envelope);
    if (!envelope.isEmpty) body.assertDepth();
    if (!batch) throw invalidFields(envelope.problems);
    const findings = this.acceptance.findings(kind, request);
    const [rejected, dropped] = [new ProblemList(), new ProblemList()];
    if (request.timeOfSending.ignored) dropped.add(request.timeOfSending.ignored);
    dropped.addAll(envelope.dropped);
    const messages = new RequestMessages(request);
    return { list: batch.list, index: 0, takenItems: [], rejected, dropped, findings, rowIndex: 0, messages };
  }

  /** Reads items until the end of a turn, one at least. Returns whether all are read. */
  private readItems<T extends object>(
    kind: IntakeKind<T>,
    request: SourceRequest,
    reading: Reading<T>,
    until: number,
  ): boolean {
    const { list, takenItems, rejected, dropped, findings } = reading;
    while (reading.index < list.length) {
      const index = reading.index++;
      const report = new Report();
      const item = { body: list[index], path: `list[${index}]`, index };
      const accepted = this.acceptance.accept(kind, request, item, report, findings);
      if (!accepted) rejected.addAll(report.problems);
      else {
        takenItems.push(accepted);
        dropped.addAll(accepted.dropped);
      }
      if (performance.now() > until) return reading.index === list.length;
    }
    return true;
  }

  /** Takes the items when all of them are messages, or makes more messages until the end of a turn. */
  private takeItems<T extends object>(
    kind: IntakeKind<T>,
    request: SourceRequest,
    reading: Reading<T>,
    until: number,
  ): Promise<Queued> | undefined {
    const { list, takenItems, rejected, dropped, findings, messages } = reading;
    if (rejected.length > 0 && (!request.lenient || takenItems.length === 0))
      return this.refuse(rejected.entries, findings, request);
    const { topic, extraRows } = kind;
    while (reading.rowIndex < takenItems.length) {
      const { row } = takenItems[reading.rowIndex++] ?? {};
      if (row) messages.add(topic, row);
      if (reading.rowIndex % rowsPerLook === 0 && performance.now() > until) return undefined;
    }
    for (const { message, row } of extraRows ? takenItems : [])
      if (row) messages.addAll(extraRows?.(message, request) ?? noRows);
    messages.addAll(findings.keptRows);
    const stored = takenItems.length - findings.withoutConsent;
    return this.takeRead(
      { topic, items: list.length, takenCount: stored, messages, rejected, dropped, findings },
      request,
    );
  }

  /**
   * Takes the valid items of a request that were read already.
   * @throws ApiError 429 when the quota is used up, or rejects with it when only one of two quotas is; rejects with
   * NotPublishedError when not all are durable.
   */
  takeRead(
    { topic, items, takenCount, messages, rejected, dropped, findings }: ReadItems,
    request: SourceRequest,
  ): Promise<Queued> {
    const { sourceIdentifier: source, validateOnly } = request;
    const publishing = this.publishWithin(messages, findings, request);
    const outcome = {
      source,
      takenCount,
      ...summarizeDropped(dropped),
      rejected: rejected.entries,
      rejectedItems: items - takenCount - findings.withoutConsent,
      violations: boundProblems(findings.violations),
      keptCount: findings.keptRows.length,
      withoutConsent: findings.withoutConsent,
      validateOnly,
    };
    if (dropped.length > 0 || rejected.length > 0) this.sample({ topic }, request, outcome.dropped, outcome.rejected);
    return this.answer(publishing, outcome);
  }

  /**
   * Refuses a request whole. What is kept of it must be durable first: a client that was answered 400 gives it up.
   * @throws ApiError at once when nothing is kept, else rejects with it; rejects with NotPublishedError when what is
   * kept is not durable.
   */
  private refuse(problems: readonly Problem[], { keptRows }: RequestFindings, request: SourceRequest): Promise<never> {
    const refusal = invalidFields(problems);
    if (keptRows.length === 0) throw refusal;
    const { acceptance } = this;
    const count = keptRows.length;
    // Must not capture the kept messages; see `answer`.
    return this.publish(keptRows, request).then(() => {
      acceptance.countKeptWhole(count);
      throw refusal;
    });
  }

  /** Samples the values and items of an accepted request that are not stored. */
  private sample(
    { topic }: { topic: Topic },
    { id: requestId, sourceIdentifier, validateOnly }: SourceRequest,
    dropped: readonly Problem[],
    rejected: readonly Problem[],
  ): void {
    if (!validateOnly) this.log.partly({ requestId, sourceIdentifier, topic: topic.name, dropped, rejected });
  }

  /**
   * Publishes the messages of a source within its daily quotas: they are reserved before they are published, and counted
   * or given back when the result is known. If one of two quotas is used up, the messages of the other are published.
   * @throws ApiError 429 when no quota has room
   */
  private publishWithin(messages: RequestMessages, { names }: RequestFindings, request: SourceRequest): Publishing {
    const { sourceIdentifier: source, validateOnly } = request;
    const { counts } = messages;
    if (validateOnly || messages.rows.length === 0) return { published: Promise.resolve(), counts };
    const openQuota = this.limits.reserve(source, counts);
    names.commit();
    const stored = this.withoutSuppressed(openQuota ? messages.within(openQuota) : messages, request);
    // Messages of suppressed people are counted like any others.
    const published = stored.length === 0 ? Promise.resolve() : this.publishMessages(stored, request);
    if (!openQuota) return { published, counts };
    return {
      published,
      counts: { events: 0, people: 0, [openQuota]: counts[openQuota] },
      exceeded: this.limits.quotaExceeded(),
    };
  }

  /**
   * Publishes the rows of one request, acknowledged together.
   * @throws ApiError 413 when the rows are too large, NotPublishedError when not all are durable.
   */
  publish(rows: readonly OutgoingRow[], request: IncomingRequest): Promise<void> {
    const messages = this.withoutSuppressed(new RequestMessages(request).addAll(rows), request);
    return request.validateOnly ? Promise.resolve() : this.publishMessages(messages, request);
  }

  /** The messages except those of suppressed people. */
  private withoutSuppressed(
    { rows, messages }: Pick<RequestMessages, 'rows' | 'messages'>,
    { receivedAt }: IncomingRequest,
  ): OutgoingMessage[] {
    return this.suppressed.dropSuppressed(rows, messages, receivedAt);
  }

  private publishMessages(messages: OutgoingMessage[], { traceparent: parent }: IncomingRequest): Promise<void> {
    const span = () => ({ kind: SpanKind.PRODUCER, parent, attributes: spanAttributes(messages) });
    return withinSpan('publish', span, () => this.outbox.publish(messages));
  }

  /**
   * Waits until the rows are acknowledged. Must not capture the request: a pending function keeps what it captures in
   * memory, and the garbage collector would copy a parsed batch again and again.
   */
  private async answer({ published, counts, exceeded }: Publishing, outcome: Outcome): Promise<Queued> {
    const { source, dropped, rejected, violations, keptCount, withoutConsent } = outcome;
    try {
      await published;
    } catch (error) {
      this.limits.giveBack(source, counts);
      throw error;
    }
    if (exceeded) {
      this.count(source, counts);
      throw exceeded;
    }
    if (!outcome.validateOnly) {
      this.metrics.countDropped(outcome.droppedByReason);
      this.metrics.countRejected(outcome.rejectedItems);
      if (keptCount > 0) this.acceptance.countKeptWhole(keptCount);
      this.sourceMetrics.countWithoutConsent(source, withoutConsent);
      this.count(source, counts);
    }
    return {
      status: 'QUEUED',
      ...(dropped.length > 0 && { dropped }),
      ...(rejected.length > 0 && { rejected }),
      ...(violations.length > 0 && { violations }),
    };
  }

  /** Counts messages that are durable. */
  private count(source: string, counts: QuotaCounts): void {
    const messageCount = counts.events + counts.people;
    this.sourceMetrics.countTaken(source, messageCount);
    this.log.accepted(source, messageCount);
    this.limits.countDurable(source, counts);
  }
}

const noCounts: ReadonlyMap<string, number> = new Map();

/** The part of the outcome about dropped values, bounded, so that not every entry is kept until the answer. */
const summarizeDropped = (dropped: ProblemList): Pick<Outcome, 'dropped' | 'droppedByReason'> => ({
  dropped: dropped.entries,
  droppedByReason: dropped.countByMessage,
});

const summarizeProblems = (dropped: readonly Problem[]): Pick<Outcome, 'dropped' | 'droppedByReason'> =>
  dropped.length === 0 ? { dropped: [], droppedByReason: noCounts } : summarizeDropped(ProblemList.from(dropped));

const spanAttributes = (messages: readonly OutgoingMessage[]) => ({
  'messaging.system': 'kafka',
  'messaging.destination.name': [...new Set(messages.map(({ topic }) => topic))].join(),
  'messaging.batch.message_count': messages.length,
});
