import { Injectable, Logger } from '@nestjs/common';
import { canarySource, header, refusedTopic } from '@sluice/contracts';
import { type OutgoingMessage, cutIntoSends, type Sender, withinDeadline } from '@sluice/kafka';
import { type Problem } from '@sluice/messages';
import { SourceReader } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { type ApiError } from '../errors/api-error.js';
import { shownBody } from '../field-rules/shown-body.js';
import { type SourceRulesBook } from '../field-rules/source-rules.js';
import { type SuppressedRows } from '../privacy/suppressed-rows.js';
import { readRules } from '../request/accepts.js';
import { pipelined } from '../request/pipelined-request.js';
import { newId } from '../new-id.js';
import { AcceptedCounts } from './accepted-counts.js';
import { explainCredentials } from './explain-credentials.js';
import { maskKeys } from './mask-keys.js';
import { RefusalCounts } from './refusal-counts.js';
import { SampleBudget } from './sample-budget.js';
import { shownOrigin } from './shown-origin.js';
import { listNamedSources } from './sources-named-by.js';
import { UnsentCounts } from './unsent-counts.js';

const countMs = 1_000;
const keysMs = 60_000;
const sendMs = 200;
/** Upper bound of the wait for Kafka at a stop. */
const maxStopMs = 5_000;
const maxWaiting = 100;
const maxProblems = 50;
const maxTextLength = 512;
const zeroId = '00000000-0000-0000-0000-000000000000';

/** Path of an unknown route, for its sender to correct; without keys and the query, which may hold anything. */
const shownPath = (url: string): string => maskKeys(decodePath(url)).slice(0, maxTextLength);

/** A key may be escaped; what is not a valid escape stays. */
function decodePath(url: string): string {
  const path = url.split('?', 1).join();
  try {
    return decodeURIComponent(path).toWellFormed();
  } catch {
    return path;
  }
}

/** Values of an accepted request that are not stored. */
export interface PartlyTaken {
  requestId: string;
  sourceIdentifier: string;
  topic: string;
  dropped: readonly Problem[];
  rejected: readonly Problem[];
}

/**
 * Reports refused requests to `gateway.refused.v1`: some as samples, and all as counts, also those from before Kafka was
 * first reached. It works after the answer, and gives up samples when Kafka is busy: nothing waits for it, and nothing
 * is written to the disk.
 */
@Injectable()
export class RefusedLog {
  private readonly logger = new Logger(RefusedLog.name);
  private readonly budget = new SampleBudget();
  private readonly counts = new RefusalCounts();
  private readonly acceptedCounts = new AcceptedCounts();
  private readonly unsent = new UnsentCounts();
  private keysReportedAt = -Infinity;
  private samples: OutgoingMessage[] = [];
  /** The pending send. There is one at a time, because a failed send changes the messages of the next one. */
  private sending: Promise<void> | undefined;
  private isStarted = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly sender: Pick<Sender, 'start' | 'stop' | 'send'>,
    private readonly sources: SourceReader,
    private readonly suppressed: Pick<SuppressedRows, 'isAnyoneNamedIn'>,
    private readonly rules: Pick<SourceRulesBook, 'of'>,
  ) {}

  /** @throws when Kafka cannot be reached. */
  async start(): Promise<void> {
    await this.sender.start();
    if (this.isStarted) return;
    this.isStarted = true;
    this.timers.push(setInterval(() => void this.send(), sendMs).unref());
    this.timers.push(setInterval(() => this.reportCounts(), countMs).unref());
  }

  /** Reports all counts, as far as Kafka takes them in time; logs how many are lost. */
  async stop(timeoutMs = maxStopMs): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    const deadline = performance.now() + Math.min(timeoutMs, maxStopMs);
    if (this.isStarted) {
      const reported = this.reportAll(deadline);
      await withinDeadline(reported, Math.max(0, deadline - performance.now()), 'not reported').catch(() => undefined);
    }
    if (this.hasCounts())
      this.logger.warn({ msg: 'Kafka did not take the last counts of requests', counts: this.unsent.size });
    if (this.isStarted) await this.sender.stop();
  }

  /** Counts messages whose acceptance was answered, at the present time; also while Kafka is down. Probes do not count. */
  accepted(source: string, messages: number): void {
    if (source !== canarySource) this.acceptedCounts.add(source, messages);
  }

  /** Counts a refused connection, whose bytes never became a request. */
  refusedBytes(reason: string): void {
    this.counts.add('', 'refused', reason);
  }

  /** @param reason the code of the error, or invalid_fields */
  refused(request: FastifyRequest, { status, problems }: ApiError, reason: string): void {
    if (isTrial(request)) return;
    const { source = '' } = pipelined(request);
    if (source === canarySource) return;
    this.counts.add(source, 'refused', reason);
    const claimed = source === '' ? this.findClaim(request) : '';
    if (claimed === '' ? !this.mayKeep(source, reason) : !this.mayKeepClaim(claimed, reason)) return;
    const { routeOptions, method, headers, id } = request;
    // A body was read only after the key was checked; that of a 400 shows what to fix.
    const rules = readRules(routeOptions);
    const isKept = status === 400 && rules?.credentials === true && Buffer.isBuffer(request.body);
    const sent = isKept ? shownBody(request.body as Buffer, rules, this.rules.of(source)) : '';
    const body = this.suppressed.isAnyoneNamedIn(sent, source) ? '' : maskKeys(sent);
    const userAgent = this.dropsUserAgent(request) ? '' : maskKeys(headers['user-agent'] ?? '').slice(0, maxTextLength);
    const route = routeOptions.url ?? shownPath(request.url);
    const origin = reason === 'error.sdk.origin.forbidden' ? shownOrigin(headers.origin) : '';
    const cause = explainCredentials(request, this.sources.registry, reason);
    const explained = cause === undefined ? problems : [...problems, { field: '', message: cause }];
    const sample = { requestId: id, method, route, status, problems: explained, body, userAgent, claimed, origin };
    this.keep({ kind: 'refused', source, reason, ...sample });
  }

  /** Samples what was left out of an accepted request. */
  partly({ requestId, sourceIdentifier: source, topic, dropped, rejected }: PartlyTaken): void {
    for (const [kind, problems] of [['dropped', dropped] as const, ['rejected', rejected] as const]) {
      if (problems.length === 0) continue;
      this.counts.add(source, kind, kind);
      if (!this.mayKeep(source, kind)) continue;
      const shape = { method: 'POST', route: topic, status: 200, body: '', userAgent: '' };
      this.keep({ kind, source, reason: kind, requestId, problems, ...shape });
    }
  }

  /** Whether no user agent is stored: of the source of a valid key, or of one that the request names without one. */
  private dropsUserAgent(request: FastifyRequest): boolean {
    const { registry } = this.sources;
    return listNamedSources(request).some((source) => registry.find(source)?.userAgent === 'drop');
  }

  /** The existing source that a request without a proven one names; empty if there is none, or no room for its sample. */
  private findClaim(request: FastifyRequest): string {
    if (!this.hasRoom() || !this.budget.hasRoomForClaims()) return '';
    return (
      listNamedSources(request).find(
        (sourceIdentifier) => this.sources.registry.find(sourceIdentifier) !== undefined,
      ) ?? ''
    );
  }

  private mayKeepClaim(claimed: string, reason: string): boolean {
    return (
      this.hasRoom() &&
      this.budget.takeClaimed(claimed, reason, this.sources.registry.watchedUntil(claimed) > Date.now())
    );
  }

  private hasRoom(): boolean {
    return this.isStarted && this.samples.length < maxWaiting;
  }

  private mayKeep(source: string, reason: string): boolean {
    return this.hasRoom() && this.budget.take(source, reason, this.sources.registry.watchedUntil(source) > Date.now());
  }

  private keep(sample: Reported): void {
    this.samples.push(toMessage(sample));
  }

  /**
   * Makes new messages only when Kafka has acknowledged the previous ones, so that there are never many.
   * @param isLast true to report also what has not reached the end of its time
   */
  private reportCounts(isLast = false): void {
    if (!isLast) this.acceptedCounts.touch();
    if (!this.unsent.isEmpty) return;
    const emptySample = { method: '', route: '', status: 0, problems: [], body: '', userAgent: '', requestId: zeroId };
    const counts = this.counts
      .take(undefined, isLast)
      .map(({ kind: countedKind, ...count }) => ({ ...count, counted: countedKind }));
    const accepted = this.acceptedCounts
      .take(undefined, isLast)
      .map(({ source, messages, time }) => ({ source, reason: '', requests: messages, counted: 'accepted', time }));
    this.unsent.add(
      [...counts, ...accepted, ...this.usedKeys(isLast)].map((count) =>
        toMessage({ ...emptySample, ...count, kind: 'count' }),
      ),
    );
  }

  /** Keys that were used since the previous report; reported at most once a minute. */
  private usedKeys(isLast: boolean): { source: string; reason: string; requests: number; counted: string }[] {
    if (!isLast && performance.now() - this.keysReportedAt < keysMs) return [];
    this.keysReportedAt = performance.now();
    const keys = this.sources.registry.takeUsedKeys();
    return keys.map(({ sourceIdentifier: source, keyId: reason }) => ({ source, reason, requests: 1, counted: 'key' }));
  }

  private async reportAll(deadline: number): Promise<void> {
    await this.sending;
    await this.send();
    while (this.hasCounts() && performance.now() < deadline) {
      await this.send();
      // A send without a connection fails at once.
      if (!this.unsent.isEmpty) await new Promise((resolve) => setTimeout(resolve, sendMs));
    }
  }

  /** Makes messages of the counts that are left. Returns whether there are any to send. */
  private hasCounts(): boolean {
    this.reportCounts(true);
    return !this.unsent.isEmpty;
  }

  private send(): Promise<void> {
    this.sending ??= this.sendWaiting().finally(() => {
      this.sending = undefined;
    });
    return this.sending;
  }

  /** Sends counts first and apart: a sample that Kafka refuses must not hold them up. Samples are sent once. */
  private async sendWaiting(): Promise<void> {
    const send = (messages: readonly OutgoingMessage[]): Promise<void> => this.sender.send(messages);
    const isAcknowledged = await this.unsent.send(send);
    const { samples } = this;
    this.samples = [];
    if (!isAcknowledged || samples.length === 0) return;
    for (const part of cutIntoSends(samples)) await send(part).catch(() => undefined);
  }
}

/** Whether the request only asks what would be answered: it leaves no trace (docs/decisions/0008-validate-only.md). */
export const isTrial = ({ query }: FastifyRequest): boolean =>
  (query as { validate?: unknown } | undefined)?.validate === 'only';

interface Reported {
  kind: 'refused' | 'dropped' | 'rejected' | 'count';
  source: string;
  reason: string;
  requestId: string;
  method: string;
  route: string;
  status: number;
  problems: readonly Problem[];
  body: string;
  userAgent: string;
  /** Source that the request names without having proven it. */
  claimed?: string;
  origin?: string;
  requests?: number;
  counted?: string;
  /** Milliseconds since 1970; now by default. */
  time?: number;
}

function toMessage({
  source,
  requestId,
  userAgent,
  problems,
  requests = 1,
  counted: countedKind = '',
  claimed = '',
  origin = '',
  time = Date.now(),
  ...row
}: Reported): OutgoingMessage {
  const value = {
    source_id: source,
    ...row,
    requests,
    counted: countedKind,
    user_agent: userAgent,
    claimed_source: claimed,
    origin,
    problems: JSON.stringify(problems.slice(0, maxProblems)),
    message_id: newId(),
    request_id: requestId,
    received_at: new Date(time).toISOString(),
  };
  const headers = { [header.contract]: refusedTopic.contract, [header.requestId]: requestId };
  return { topic: refusedTopic.name, key: source || requestId, value: JSON.stringify(value), headers };
}
