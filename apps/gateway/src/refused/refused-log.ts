import { Injectable } from '@nestjs/common';
import { header, refusedTopic } from '@sluice/contracts';
import { markedAsRepeat, type OutgoingMessage, type Sender } from '@sluice/kafka';
import { type Problem } from '@sluice/messages';
import { SourceReader } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { type ApiError } from '../errors/api-error.js';
import { shownBody } from '../field-rules/shown-body.js';
import { type SourceRulesBook } from '../field-rules/source-rules.js';
import { type SuppressedRows } from '../privacy/suppressed-rows.js';
import { rulesOf } from '../request/accepts.js';
import { pipelined } from '../request/pipelined-request.js';
import { newId } from '../new-id.js';
import { AcceptedCounts } from './accepted-counts.js';
import { RefusalCounts } from './refusal-counts.js';
import { SampleBudget } from './sample-budget.js';

const countMs = 1_000;
const keysMs = 60_000;
const sendMs = 200;
const maxWaiting = 100;
const maxProblems = 50;
const maxTextLength = 512;
const writeKey = /[A-Za-z0-9]{12}(?:_|%5f)[^/]*/gi;
const zeroId = '00000000-0000-0000-0000-000000000000';

/** Path of an unknown route, for its sender to correct; without write keys and the query, which may hold anything. */
const shownPath = (url: string): string =>
  url.split('?', 1).join().replaceAll(writeKey, ':writeKey').slice(0, maxTextLength);

/** Values of an accepted request that are not stored. */
export interface PartlyTaken {
  requestId: string;
  sourceIdentifier: string;
  topic: string;
  dropped: readonly Problem[];
  rejected: readonly Problem[];
}

/**
 * Reports refused requests to `gateway.refused.v1`: some as samples, and all as counts. It works after the answer, and
 * gives up samples when Kafka is busy: nothing waits for it, and nothing is written to the disk.
 */
@Injectable()
export class RefusedLog {
  private readonly budget = new SampleBudget();
  private readonly counts = new RefusalCounts();
  private readonly acceptedCounts = new AcceptedCounts();
  private keysReportedAt = 0;
  private samples: OutgoingMessage[] = [];
  /** Counts that Kafka has not acknowledged yet. */
  private countMessages: OutgoingMessage[] = [];
  private isSending = false;
  private isStarted = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly sender: Sender,
    private readonly sources: SourceReader,
    private readonly suppressed: Pick<SuppressedRows, 'areNamedIn'>,
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

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    if (!this.isStarted) return;
    await this.send();
    this.reportCounts();
    await this.send();
    await this.sender.stop();
  }

  /** Counts messages whose acceptance was answered, at the present time; also while Kafka is down. */
  accepted(source: string, messages: number): void {
    this.acceptedCounts.add(source, messages);
  }

  /** @param reason the code of the error, or invalid_fields */
  refused(request: FastifyRequest, { status, problems }: ApiError, reason: string): void {
    if (!this.isStarted || (request.query as { validate?: unknown } | undefined)?.validate === 'only') return;
    const { source = '' } = pipelined(request);
    this.counts.add(source, 'refused', reason);
    if (this.samples.length >= maxWaiting || !this.mayKeep(source, reason)) return;
    const { routeOptions, method, headers, id } = request;
    // A body was read only after the key was checked; that of a 400 shows what to fix.
    const rules = rulesOf(routeOptions);
    const isKept = status === 400 && rules?.credentials === true && Buffer.isBuffer(request.body);
    const sent = isKept ? shownBody(request.body as Buffer, rules, this.rules.of(source)) : '';
    const body = this.suppressed.areNamedIn(sent, source) ? '' : sent;
    const userAgent = (headers['user-agent'] ?? '').slice(0, maxTextLength);
    const route = routeOptions.url ?? shownPath(request.url);
    this.keep({ kind: 'refused', source, reason, requestId: id, method, route, status, problems, body, userAgent });
  }

  /** Samples what was left out of an accepted request. */
  partly({ requestId, sourceIdentifier: source, topic, dropped, rejected }: PartlyTaken): void {
    if (!this.isStarted) return;
    for (const [kind, problems] of [['dropped', dropped] as const, ['rejected', rejected] as const]) {
      if (problems.length === 0) continue;
      this.counts.add(source, kind, kind);
      if (this.samples.length >= maxWaiting || !this.mayKeep(source, kind)) continue;
      const shape = { method: 'POST', route: topic, status: 200, body: '', userAgent: '' };
      this.keep({ kind, source, reason: kind, requestId, problems, ...shape });
    }
  }

  private mayKeep(source: string, reason: string): boolean {
    return this.budget.take(source, reason, this.sources.registry.watchedUntil(source) > Date.now());
  }

  private keep(sample: Reported): void {
    this.samples.push(messageOf(sample));
  }

  /** Makes new messages only when Kafka has acknowledged the previous ones, so that there are never many. */
  private reportCounts(): void {
    if (this.countMessages.length > 0) return;
    const none = { method: '', route: '', status: 0, problems: [], body: '', userAgent: '', requestId: zeroId };
    const counts = this.counts.take().map(({ kind: counted, ...one }) => ({ ...one, counted }));
    const accepted = this.acceptedCounts
      .take()
      .map(({ source, messages, at }) => ({ source, reason: '', requests: messages, counted: 'accepted', at }));
    this.countMessages = [...counts, ...accepted, ...this.usedKeys()].map((one) =>
      messageOf({ ...none, ...one, kind: 'count' }),
    );
  }

  /** Keys that were used since the previous report; reported at most once a minute. */
  private usedKeys(): { source: string; reason: string; requests: number; counted: string }[] {
    if (performance.now() - this.keysReportedAt < keysMs) return [];
    this.keysReportedAt = performance.now();
    const used = this.sources.registry.takeUsedKeys();
    return used.map(({ sourceIdentifier: source, keyId: reason }) => ({ source, reason, requests: 1, counted: 'key' }));
  }

  /**
   * Sends what waits, one send at a time. Samples of a failed send are given up. Its counts are sent again as they
   * were, marked: Kafka may have them already, and a count must be neither lost nor stored twice.
   */
  private async send(): Promise<void> {
    const messages = [...this.countMessages, ...this.samples];
    if (this.isSending || messages.length === 0) return;
    this.isSending = true;
    this.samples = [];
    try {
      await this.sender.send(messages);
      this.countMessages = [];
    } catch {
      this.countMessages = this.countMessages.map((one) => ({ ...one, headers: markedAsRepeat(one.headers) }));
    } finally {
      this.isSending = false;
    }
  }
}

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
  requests?: number;
  counted?: string;
  /** Milliseconds since 1970; now by default. */
  at?: number;
}

function messageOf({
  source,
  requestId,
  userAgent,
  problems,
  requests = 1,
  counted = '',
  at = Date.now(),
  ...row
}: Reported): OutgoingMessage {
  const value = {
    source_id: source,
    ...row,
    requests,
    counted,
    user_agent: userAgent,
    problems: JSON.stringify(problems.slice(0, maxProblems)),
    message_id: newId(),
    request_id: requestId,
    received_at: new Date(at).toISOString(),
  };
  const headers = { [header.contract]: refusedTopic.contract, [header.requestId]: requestId };
  return { topic: refusedTopic.name, key: source || requestId, value: JSON.stringify(value), headers };
}
