import { Injectable } from '@nestjs/common';
import { join, MessageReader, type MessageType, type Problem, type Report } from '@sluice/messages';
import { type LivePlans, PlanReader, type Verdict } from '@sluice/plans';
import { PlanMetrics } from '../plans/plan-metrics.js';
import { notInPlan, problemOf } from '../plans/violation-text.js';
import { type IntakeKind, type KeyedRow, type OutgoingRow } from './intake.js';
import { messageIdOf } from './message-id.js';
import { type Planned } from './planned.js';
import { type SourceRequest } from './source-request.js';

/** A message of a request. */
export interface Item {
  body: unknown;
  /** Path of the message in the body of the request: `list[3]`. */
  path: string;
  index: number;
  /** Id of the message if its client gave it one. */
  messageId?: string | undefined;
  /** The message as its client sent it, if `body` was made from it. */
  sent?: unknown;
}

/** A valid message, with its row. */
export interface Accepted<T> {
  /** The message as it was read, before its plan left anything out. */
  message: T;
  row: KeyedRow;
  dropped: readonly Problem[];
}

/** What the plans of its source say about the messages of one request. */
export class Findings {
  /** Rows of messages that are refused and kept whole. */
  readonly kept: OutgoingRow[] = [];
  /** Violations of all messages; only of a request that stores nothing. */
  readonly violations: Problem[] = [];

  /** @param plans the same for all messages of the request; undefined when none is active */
  constructor(readonly plans: LivePlans | undefined) {}
}

/** Decides about single messages: whether they are valid, what the plan of their source says, and their row. */
@Injectable()
export class Acceptance {
  private readonly readers = new Map<MessageType, MessageReader<object>>();

  constructor(
    private readonly plans: PlanReader,
    private readonly metrics: PlanMetrics,
  ) {}

  findings<T extends object>({ planned }: IntakeKind<T>, { sourceIdentifier }: SourceRequest): Findings {
    return new Findings(planned && this.plans.registry.live(sourceIdentifier));
  }

  /** Returns undefined when the message is refused; the report says why. */
  accept<T extends object>(
    kind: IntakeKind<T>,
    request: SourceRequest,
    item: Item,
    report: Report,
    findings: Findings,
  ): Accepted<T> | undefined {
    const { body, path, index, sent = body } = item;
    const message = this.readerOf(kind.type).read(body, path, report);
    // An id made from the item traverses it completely, which must not overflow the stack.
    if (!report.isEmpty || request.idempotencyKey !== undefined) request.body.assertDepth();
    if (!message) return undefined;
    const messageId = item.messageId ?? messageIdOf(request, index, body);
    const { planned, toRow } = kind;
    const { plans, kept } = findings;
    const verdict = plans && planned && this.judged(plans, planned, message, request, item, findings);
    if (!plans || !planned || !verdict || verdict.violations.length === 0)
      return { message, row: toRow(message, messageId, request, verdict), dropped: report.dropped };
    if (verdict.mode === 'refuse') {
      const { problems } = reportViolations(report, verdict, planned, path);
      if (!request.validateOnly)
        kept.push(planned.keep({ message, body: sent, messageId, problems, verdict }, request));
      return undefined;
    }
    const stored = verdict.mode === 'drop' ? fitted(plans, planned, message, path, report) : message;
    return { message, row: toRow(stored, messageId, request, verdict), dropped: report.dropped };
  }

  /** Asks the active plans and the candidate, and counts violations. */
  private judged<T extends object>(
    plans: LivePlans,
    planned: Planned<T>,
    message: T,
    { sourceIdentifier: source, validateOnly }: SourceRequest,
    { path }: Item,
    { violations: found }: Findings,
  ): Verdict | undefined {
    const verdict = planned.judge(plans, message);
    if (validateOnly) {
      for (const violation of verdict?.violations ?? []) found.push(problemOf(violation, path, planned.bag));
      return verdict;
    }
    if (verdict && verdict.violations.length > 0) this.metrics.violates(source, verdict.mode);
    const candidate = plans.candidate && planned.judge(plans.candidate, message);
    if (candidate && candidate.violations.length > 0) this.metrics.violatesCandidate(source);
    return verdict;
  }

  /** Counts refused messages that are durable now. */
  keptWhole(messages: number): void {
    this.metrics.keptWhole('plan', messages);
  }

  private readerOf<T extends object>(type: MessageType<T>): MessageReader<T> {
    const known = this.readers.get(type);
    if (known) return known as MessageReader<T>;
    const reader = new MessageReader(type);
    this.readers.set(type, reader);
    return reader;
  }
}

function reportViolations<T>(report: Report, { violations }: Verdict, { bag }: Planned<T>, path: string): Report {
  for (const violation of violations) {
    const { field, message } = problemOf(violation, path, bag);
    report.refuse(field, message);
  }
  return report;
}

/** The message without what the plan does not allow, which the report names. */
function fitted<T>(plans: LivePlans, planned: Planned<T>, message: T, path: string, report: Report): T {
  const { properties, dropped } = planned.drop(plans, message);
  if (dropped.length === 0) return message;
  for (const { path: place } of dropped) report.drop(join(path, join(planned.bag, place)), notInPlan);
  return planned.withBag(message, properties);
}
