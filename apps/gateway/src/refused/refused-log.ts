import { Injectable } from '@nestjs/common';
import { header, refusedTopic } from '@sluice/contracts';
import { type OutgoingMessage, type Sender } from '@sluice/kafka';
import { SourceReader } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { type ApiError, type Problem } from '../errors/api-error.js';
import { rulesOf } from '../http/accepts.js';
import { newId } from '../new-id.js';
import { SampleBudget } from './sample-budget.js';

const countMs = 1_000;
const sendMs = 200;
const mostWaiting = 100;
/** Sources and reasons that are counted apart between two sends; later ones share one count. */
const mostCounts = 1_000;
const bodyBytes = 8_192;
const mostProblems = 50;
const longestText = 512;
const zeroId = '00000000-0000-0000-0000-000000000000';

/** Values of an accepted request that are not stored. */
export interface PartlyTaken {
  requestId: string;
  sourceIdentifier: string;
  topic: string;
  dropped: readonly Problem[];
  rejected: readonly Problem[];
}

/**
 * Tells `gateway.refused.v1` what was refused: some requests as samples, and all of them as counts. It works after the
 * answer, and gives up samples when Kafka is busy: nothing waits for it, and nothing is written to the disk.
 */
@Injectable()
export class RefusedLog {
  private readonly budget = new SampleBudget();
  private counts = new Map<string, number>();
  private waiting: OutgoingMessage[] = [];
  private isSending = false;
  private isStarted = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly sender: Sender,
    private readonly sources: SourceReader,
  ) {}

  /** @throws when Kafka cannot be reached. */
  async start(): Promise<void> {
    await this.sender.start();
    if (this.isStarted) return;
    this.isStarted = true;
    this.timers.push(setInterval(() => void this.send(), sendMs).unref());
    this.timers.push(
      setInterval(() => {
        this.tellCounts();
      }, countMs).unref(),
    );
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    if (!this.isStarted) return;
    this.tellCounts();
    await this.send();
    await this.sender.stop();
  }

  /** @param reason the code of the error, or invalid_fields */
  refused(request: FastifyRequest, { status, problems }: ApiError, reason: string): void {
    if (!this.isStarted || (request.query as { validate?: unknown } | undefined)?.validate === 'only') return;
    const source = this.knownSource(request);
    this.count(source, 'refused', reason);
    if (this.waiting.length >= mostWaiting || !this.budget.take(source, reason)) return;
    const { routeOptions, method, headers, id } = request;
    // A body was read only after the key was checked; that of a 400 shows what to mend.
    const isKept = status === 400 && rulesOf(routeOptions)?.credentials === true && Buffer.isBuffer(request.body);
    const body = isKept ? (request.body as Buffer).subarray(0, bodyBytes).toString('utf8') : '';
    const userAgent = (headers['user-agent'] ?? '').slice(0, longestText);
    const route = routeOptions.url ?? '';
    this.tell({ kind: 'refused', source, reason, requestId: id, method, route, status, problems, body, userAgent });
  }

  /** Samples what was left out of an accepted request. */
  partly({ requestId, sourceIdentifier: source, topic, dropped, rejected }: PartlyTaken): void {
    if (!this.isStarted) return;
    for (const [kind, problems] of [['dropped', dropped] as const, ['rejected', rejected] as const]) {
      if (problems.length === 0) continue;
      this.count(source, kind, kind);
      if (this.waiting.length >= mostWaiting || !this.budget.take(source, kind)) continue;
      const shape = { method: 'POST', route: topic, status: 200, body: '', userAgent: '' };
      this.tell({ kind, source, reason: kind, requestId, problems, ...shape });
    }
  }

  private knownSource({ params }: FastifyRequest): string {
    const { sourceIdentifier } = (params ?? {}) as { sourceIdentifier?: string };
    const isKnown = sourceIdentifier !== undefined && this.sources.registry.find(sourceIdentifier) !== undefined;
    return isKnown ? sourceIdentifier : '';
  }

  private count(source: string, kind: string, reason: string): void {
    const key = `${source}\n${kind}\n${reason}`;
    const counted = this.counts.has(key) || this.counts.size < mostCounts ? key : `\n${kind}\nother`;
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
  }

  private tellCounts(): void {
    const { counts } = this;
    this.counts = new Map();
    for (const [key, requests] of counts) {
      const [source = '', counted = '', reason = ''] = key.split('\n');
      const none = { method: '', route: '', status: 0, problems: [], body: '', userAgent: '', requestId: zeroId };
      this.tell({ kind: 'count', source, reason, requests, counted, ...none });
    }
  }

  private tell({ source, requestId, userAgent, problems, requests = 1, counted = '', ...row }: Told): void {
    const value = {
      ...{ source_id: source, ...row, requests, counted, user_agent: userAgent },
      problems: JSON.stringify(problems.slice(0, mostProblems)),
      ...{ message_id: newId(), request_id: requestId, received_at: new Date().toISOString() },
    };
    const headers = { [header.contract]: refusedTopic.contract, [header.requestId]: requestId };
    this.waiting.push({ topic: refusedTopic.name, key: source || requestId, value: JSON.stringify(value), headers });
  }

  /** Sends what waits, one send at a time. Counts of a failed send are counted again; its samples are given up. */
  private async send(): Promise<void> {
    if (this.isSending || this.waiting.length === 0) return;
    this.isSending = true;
    const messages = this.waiting;
    this.waiting = [];
    try {
      await this.sender.send(messages);
    } catch {
      for (const { value } of messages) this.countAgain(String(value));
    } finally {
      this.isSending = false;
    }
  }

  /** A send in doubt may be counted twice: better than not at all. */
  private countAgain(value: string): void {
    const { kind, source_id, counted, reason, requests } = JSON.parse(value) as Record<string, string> & {
      requests: number;
    };
    if (kind !== 'count') return;
    const key = `${source_id ?? ''}\n${counted ?? ''}\n${reason ?? ''}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + requests);
  }
}

interface Told {
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
}
