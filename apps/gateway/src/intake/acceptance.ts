import { Injectable } from '@nestjs/common';
import { isObject } from '@sluice/contracts';
import {
  consentField,
  joinPath,
  MessageReader,
  type MessageRules,
  type MessageType,
  type Problem,
  type Report,
  reportPlaceholders,
  limitNewNames,
  withoutConsent,
  addSentAt,
} from '@sluice/messages';
import { type LivePlans, PlanReader, type MessageVerdict } from '@sluice/plans';
import { SourceRulesBook } from '../field-rules/source-rules.js';
import { type RequestNames, SourceNames } from '../limits/source-names.js';
import { PlanMetrics } from '../plans/plan-metrics.js';
import { toProblem, describeViolation } from '../plans/violation-text.js';
import { type IntakeItem } from './intake-item.js';
import { type IntakeKind } from './intake-kind.js';
import { tooDeep } from './json-body.js';
import { isDeeper } from './json-depth.js';
import { type KeyedRow, type OutgoingRow } from './outgoing-row.js';
import { createMessageId } from './message-id.js';
import { type Planned } from './planned.js';
import { type SourceRequest } from './source-request.js';

/** A valid message, with its row. */
export interface AcceptedMessage<T> {
  /** The message as the rules of its source leave it, before its plan left anything out. */
  message: T;
  /** Undefined for a message that is not stored, although it is valid. */
  row: KeyedRow | undefined;
  dropped: readonly Problem[];
}

/** The rules and plans for the messages of one request, and their findings about these messages. */
export class RequestFindings {
  /** Rows of messages that are refused and kept whole. */
  readonly keptRows: OutgoingRow[] = [];
  /** Violations of all messages; collected only for a request that stores nothing. */
  readonly violations: Problem[] = [];
  /** Number of messages that do not grant the consent that the source requires. */
  withoutConsent = 0;

  /**
   * @param plans the same for all messages of the request; undefined when none is active
   * @param rules undefined when the source has none
   * @param names that the source uses
   */
  constructor(
    readonly plans: LivePlans | undefined,
    readonly rules: MessageRules | undefined,
    readonly names: RequestNames,
  ) {}
}

/** Decides whether single messages are valid, applies the rules and the plan of their source, and makes their rows. */
@Injectable()
export class Acceptance {
  private readonly readers = new Map<MessageType, MessageReader<object>>();

  constructor(
    private readonly plans: PlanReader,
    private readonly metrics: PlanMetrics,
    private readonly rules: SourceRulesBook,
    private readonly names: SourceNames,
  ) {}

  findings<T extends object>(
    { planned }: IntakeKind<T>,
    { sourceIdentifier, validateOnly }: SourceRequest,
  ): RequestFindings {
    const names = this.names.namesFor(sourceIdentifier, validateOnly);
    return planned
      ? new RequestFindings(this.plans.registry.live(sourceIdentifier), this.rules.of(sourceIdentifier), names)
      : new RequestFindings(undefined, undefined, names);
  }

  /** Returns undefined when the message is refused; the report says why. */
  accept<T extends object>(
    kind: IntakeKind<T>,
    request: SourceRequest,
    item: IntakeItem,
    report: Report,
    findings: RequestFindings,
  ): AcceptedMessage<T> | undefined {
    const { body, path, index } = item;
    report.names = findings.names;
    const read = this.findReader(kind.type).read(body, path, report);
    // An id made from the item traverses it completely, which must not overflow the stack.
    const isTraversed = !report.isEmpty || request.idempotencyKey !== undefined;
    if (isTraversed && !isWithinDepth(item, request, report)) return undefined;
    if (!read) return undefined;
    const { planned, toRow, isOfGroup } = kind;
    const { plans, rules } = findings;
    if (rules && !rules.admits(read)) return withhold(read, path, report, findings);
    const { sentAt } = request.timeOfSending;
    const sent = planned && sentAt ? addSentAt(read, sentAt) : read;
    const message = rules ? rules.apply(sent, path, report, isOfGroup) : sent;
    if (planned) reportPlaceholders(message, path, report);
    const messageId = item.messageId ?? createMessageId(request, index, body);
    const verdict = plans && planned && this.judge(plans, planned, message, request, item, findings);
    if (!plans || !planned || !verdict || verdict.violations.length === 0) {
      const row = toRow(message, messageId, request, verdict, item, report);
      if (!row) return undefined;
      cutNames(row, message as Readonly<Record<string, unknown>>, path, report, findings);
      return { message, row, dropped: report.dropped };
    }
    if (verdict.mode === 'refuse') {
      const { problems } = reportViolations(report, verdict, planned, path);
      if (request.validateOnly) return undefined;
      const keptBody = keepableItem(item, rules, sentAt);
      findings.keptRows.push(planned.keep({ message, body: keptBody, messageId, problems, verdict }, request));
      return undefined;
    }
    const stored = verdict.mode === 'drop' ? fitToPlan(plans, planned, message, path, report) : message;
    const row = toRow(stored, messageId, request, verdict, item, report);
    if (!row) return undefined;
    cutNames(row, stored as Readonly<Record<string, unknown>>, path, report, findings);
    return { message, row, dropped: report.dropped };
  }

  /** Judges by the active plans. Counts violations, also of the candidate; only collects them if nothing is stored. */
  private judge<T extends object>(
    plans: LivePlans,
    planned: Planned<T>,
    message: T,
    { sourceIdentifier: source, validateOnly }: SourceRequest,
    { path }: IntakeItem,
    { violations: collected }: RequestFindings,
  ): MessageVerdict | undefined {
    const verdict = planned.judge(plans, message);
    if (validateOnly) {
      for (const violation of verdict?.violations ?? []) collected.push(toProblem(violation, path, planned.bag));
      return verdict;
    }
    if (verdict && verdict.violations.length > 0) this.metrics.violates(source, verdict.mode);
    const candidate = plans.candidate && planned.judge(plans.candidate, message);
    if (candidate && candidate.violations.length > 0) this.metrics.violatesCandidate(source);
    return verdict;
  }

  /** Counts refused messages that are durable now. */
  countKeptWhole(messages: number): void {
    this.metrics.keptWhole('plan', messages);
  }

  private findReader<T extends object>(type: MessageType<T>): MessageReader<T> {
    const existing = this.readers.get(type);
    if (existing) return existing as MessageReader<T>;
    const reader = new MessageReader(type);
    this.readers.set(type, reader);
    return reader;
  }
}

/** Whether a message may be traversed completely. @throws ApiError 400 when the whole body is refused */
function isWithinDepth({ body, path, levels }: IntakeItem, request: SourceRequest, report: Report): boolean {
  if (levels === undefined) request.body.assertDepth();
  else if (isDeeper(body, levels)) report.refuse(path, tooDeep);
  else return true;
  return levels === undefined;
}

/**
 * Leaves names beyond the bound of the source out of the free-form columns of a row, after rules and plan, which know
 * only its own names. Columns that are made from them, such as the products of an event, are complete.
 */
function cutNames(
  { row }: KeyedRow,
  message: Readonly<Record<string, unknown>>,
  path: string,
  report: Report,
  { names }: RequestFindings,
): void {
  if (!report.hasNewNames) return;
  const limited = limitNewNames(message, names, path, report);
  if (limited === message) return;
  names.countBeyond();
  for (const [column, value] of Object.entries(limited))
    if (value !== message[column]) Object.assign(row, { [column]: value });
}

/** A message whose person has not agreed: it is taken, and not stored. */
function withhold<T>(message: T, path: string, report: Report, findings: RequestFindings): AcceptedMessage<T> {
  report.drop(joinPath(path, consentField), withoutConsent);
  findings.withoutConsent++;
  return { message, row: undefined, dropped: report.dropped };
}

/** The item as sent and the time of sending, without what the rules of its source leave out. */
function keepableItem(
  { body, whole }: IntakeItem,
  rules: MessageRules | undefined,
  sentAt: string | undefined,
): unknown {
  const sent = whole ? whole() : body;
  const datedItem = sentAt && isObject(sent) ? addSentAt(sent, sentAt) : sent;
  return rules ? rules.applyToRefused(datedItem, whole !== undefined) : datedItem;
}

function reportViolations<T>(
  report: Report,
  { violations }: MessageVerdict,
  { bag }: Planned<T>,
  path: string,
): Report {
  for (const violation of violations) {
    const { field, message } = toProblem(violation, path, bag);
    report.refuse(field, message);
  }
  return report;
}

/** The message without what the plan does not allow, which the report names. */
function fitToPlan<T>(plans: LivePlans, planned: Planned<T>, message: T, path: string, report: Report): T {
  const { properties, dropped } = planned.drop(plans, message);
  if (dropped.length === 0) return message;
  for (const { path: memberPath, violation } of dropped)
    report.drop(joinPath(path, joinPath(planned.bag, memberPath)), describeViolation(violation));
  return planned.withBag(message, properties);
}
