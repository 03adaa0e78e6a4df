import { Injectable } from '@nestjs/common';
import {
  consentField,
  join,
  MessageReader,
  type MessageRules,
  type MessageType,
  type Problem,
  type Report,
  withinNames,
  withoutConsent,
} from '@sluice/messages';
import { type LivePlans, PlanReader, type Verdict } from '@sluice/plans';
import { SourceRulesBook } from '../field-rules/source-rules.js';
import { type RequestNames, SourceNames } from '../limits/source-names.js';
import { PlanMetrics } from '../plans/plan-metrics.js';
import { notInPlan, problemOf } from '../plans/violation-text.js';
import { type IntakeKind } from './intake-kind.js';
import { type KeyedRow, type OutgoingRow } from './outgoing-row.js';
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
  /** Returns the message as its client sent it, if `body` was made from it. */
  whole?: () => unknown;
}

/** A valid message, with its row. */
export interface Accepted<T> {
  /** The message as the rules of its source leave it, before its plan left anything out. */
  message: T;
  /** Undefined for a message that is not stored, although it is valid. */
  row: KeyedRow | undefined;
  dropped: readonly Problem[];
}

/** The rules and plans for the messages of one request, and what they have found in them. */
export class Findings {
  /** Rows of messages that are refused and kept whole. */
  readonly kept: OutgoingRow[] = [];
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

  findings<T extends object>({ planned }: IntakeKind<T>, { sourceIdentifier, validateOnly }: SourceRequest): Findings {
    const names = this.names.of(sourceIdentifier, validateOnly);
    return planned
      ? new Findings(this.plans.registry.live(sourceIdentifier), this.rules.of(sourceIdentifier), names)
      : new Findings(undefined, undefined, names);
  }

  /** Returns undefined when the message is refused; the report says why. */
  accept<T extends object>(
    kind: IntakeKind<T>,
    request: SourceRequest,
    item: Item,
    report: Report,
    findings: Findings,
  ): Accepted<T> | undefined {
    const { body, path, index } = item;
    report.names = findings.names;
    const read = this.readerOf(kind.type).read(body, path, report);
    // An id made from the item traverses it completely, which must not overflow the stack.
    if (!report.isEmpty || request.idempotencyKey !== undefined) request.body.assertDepth();
    if (!read) return undefined;
    const { planned, toRow, isOfGroup } = kind;
    const { plans, rules } = findings;
    if (rules && !rules.admits(read)) return withheld(read, path, report, findings);
    const message = rules ? rules.apply(read, path, report, isOfGroup) : read;
    const messageId = item.messageId ?? messageIdOf(request, index, body);
    const verdict = plans && planned && this.judged(plans, planned, message, request, item, findings);
    if (!plans || !planned || !verdict || verdict.violations.length === 0) {
      const row = toRow(message, messageId, request, verdict);
      cutNames(row, message as Readonly<Record<string, unknown>>, path, report, findings);
      return { message, row, dropped: report.dropped };
    }
    if (verdict.mode === 'refuse') {
      const { problems } = reportViolations(report, verdict, planned, path);
      if (request.validateOnly) return undefined;
      const kept = keptOf(item, rules);
      findings.kept.push(planned.keep({ message, body: kept, messageId, problems, verdict }, request));
      return undefined;
    }
    const stored = verdict.mode === 'drop' ? fitted(plans, planned, message, path, report) : message;
    const row = toRow(stored, messageId, request, verdict);
    cutNames(row, stored as Readonly<Record<string, unknown>>, path, report, findings);
    return { message, row, dropped: report.dropped };
  }

  /** Judges by the active plans. Counts violations, also of the candidate; only collects them if nothing is stored. */
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

/**
 * Leaves names beyond the bound of the source out of the free-form columns of a row, after rules and plan, which know
 * only its own names. Columns that are made from them, such as the products of an event, are complete.
 */
function cutNames(
  { row }: KeyedRow,
  message: Readonly<Record<string, unknown>>,
  path: string,
  report: Report,
  { names }: Findings,
): void {
  if (!report.hasNewNames) return;
  const kept = withinNames(message, names, path, report);
  if (kept === message) return;
  names.countBeyond();
  for (const [column, value] of Object.entries(kept))
    if (value !== message[column]) Object.assign(row, { [column]: value });
}

/** A message whose person has not agreed: it is taken, and not stored. */
function withheld<T>(message: T, path: string, report: Report, findings: Findings): Accepted<T> {
  report.drop(join(path, consentField), withoutConsent);
  findings.withoutConsent++;
  return { message, row: undefined, dropped: report.dropped };
}

/** The item as sent, without what the rules of its source leave out. */
function keptOf({ body, whole }: Item, rules: MessageRules | undefined): unknown {
  const kept = whole ? whole() : body;
  return rules ? rules.kept(kept, whole !== undefined) : kept;
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
