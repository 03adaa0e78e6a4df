import { type ClickHouseClient } from '@clickhouse/client';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Series, type Servers, type ServerState } from '@sluice/console-api';
import { type KafkaConnection, untilBrokerAnswers, withinDeadline } from '@sluice/kafka';
import { describeFailure } from '@sluice/operations';
import { MissedLooks } from './missed-looks.js';

type Outage = NonNullable<Series['outages']>[number];

const lookEveryMs = 500;
const maxOutages = 500;
/** Two looks decide, so an outage is known within three seconds, and on a page within four. */
const answerMs = 1_000;

/** A look that ends this much later than its limit says nothing about the server. */
const lateMs = 300;

type ServerName = keyof Servers;
const titles: Record<ServerName, string> = { kafka: 'Kafka', clickhouse: 'ClickHouse' };

/** Watches Kafka and ClickHouse: which of them is unreachable, and since when. */
@Injectable()
export class ServerWatch implements OnModuleInit, OnApplicationShutdown {
  private readonly states: Partial<Servers> = {};
  private readonly listeners = new Set<(servers: Servers) => void>();
  private readonly looking = new Set<ServerName>();
  private readonly missed: Record<ServerName, MissedLooks> = {
    kafka: new MissedLooks(),
    clickhouse: new MissedLooks(),
  };
  private readonly outages: Outage[] = [];
  private readonly returns: Record<ServerName, number> = { kafka: -Infinity, clickhouse: -Infinity };
  private timer: NodeJS.Timeout | undefined;
  private tick = Promise.withResolvers<undefined>();

  /** @param clickhouse a client of its own, because queries may hold all connections of another */
  constructor(
    private readonly kafka: KafkaConnection,
    private readonly clickhouse: ClickHouseClient,
  ) {}

  /** Outages within a range, as far as this process has seen them. */
  outagesIn({ from, to }: { from: Date; to: Date }): Outage[] {
    const [start, end] = [from.toISOString(), to.toISOString()];
    return this.outages
      .filter((outage) => outage.from < end && (outage.to === null || outage.to > start))
      .map((outage) => ({ ...outage }));
  }

  get current(): Servers {
    return { kafka: { ...(this.states.kafka ?? reachable) }, clickhouse: { ...(this.states.clickhouse ?? reachable) } };
  }

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.look();
      this.wake();
    }, lookEveryMs).unref();
    this.look();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.clickhouse.close();
  }

  /** Time at which the server answered again after its last outage, as `performance.now()` has it; -Infinity without one. */
  backAt(name: ServerName): number {
    return this.returns[name];
  }

  /** Calls the listener after each change. @returns a function that ends it */
  onChange(listener: (servers: Servers) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when each server was looked at: no state is guessed. */
  async untilKnown(): Promise<void> {
    while (!this.states.kafka || !this.states.clickhouse) await this.nextLook();
  }

  /** Resolves at the next change, or after half a second. */
  async nextLook(): Promise<void> {
    await this.tick.promise;
  }

  /** A sentence for a server that is unreachable, so that nobody waits long for an error. */
  whyUnreachable(name: ServerName): string | undefined {
    const { isUnreachable, since } = this.current[name];
    return isUnreachable ? `${titles[name]} has not answered since ${(since ?? '').slice(11, 19)} UTC.` : undefined;
  }

  private look(): void {
    this.lookAt('kafka', () => untilBrokerAnswers(this.kafka, answerMs));
    this.lookAt('clickhouse', async () => {
      const ping = this.clickhouse.ping({ select: false, abort_signal: AbortSignal.timeout(answerMs) });
      const answer = await withinDeadline(ping, answerMs, 'no answer');
      if (!answer.success) throw answer.error;
    });
  }

  /** Asks one server, unless the last question is still open. */
  private lookAt(name: ServerName, ask: () => Promise<void>): void {
    if (this.looking.has(name)) return;
    this.looking.add(name);
    const startedAt = performance.now();
    ask()
      .then(
        () => {
          this.missed[name].answer();
          this.become(name, reachable);
        },
        (error: unknown) => {
          // A process that got no CPU time cannot know whether the server answered.
          if (performance.now() - startedAt > answerMs + lateMs) return;
          const ageMs = this.missed[name].miss(startedAt, performance.now());
          if (ageMs === undefined) return;
          this.become(name, {
            isUnreachable: true,
            since: new Date(Date.now() - ageMs).toISOString(),
            reason: isTimeOut(startedAt) ? noAnswer : describeFailure(error),
          });
        },
      )
      .finally(() => this.looking.delete(name));
  }

  private become(name: ServerName, state: ServerState): void {
    const before = this.states[name];
    if (before?.isUnreachable === state.isUnreachable) return;
    this.states[name] = state;
    if (state.since !== null) this.outages.push({ server: name, from: state.since, to: null });
    else for (const outage of this.outages) if (outage.server === name) outage.to ??= new Date().toISOString();
    if (before && !state.isUnreachable) this.returns[name] = performance.now();
    if (this.outages.length > maxOutages) this.outages.shift();
    this.wake();
    if (before || state.isUnreachable) for (const listener of this.listeners) listener(this.current);
  }

  private wake(): void {
    this.tick.resolve(undefined);
    this.tick = Promise.withResolvers<undefined>();
  }
}

const noAnswer = `no answer within ${answerMs / 1_000} s`;
const isTimeOut = (startedAt: number): boolean => performance.now() - startedAt >= answerMs - 50;

const reachable: ServerState = { isUnreachable: false, since: null, reason: null };
