import { type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { allTopics, refusedTopic } from '@sluice/contracts';
import { ensureTopics, type Kafka, keepTrying } from '@sluice/kafka';
import { ensurePlansTopic, type PlanReader } from '@sluice/plans';
import { ensureSuppressionsTopic, type SuppressionReader } from '@sluice/privacy';
import { type Health } from '@sluice/service';
import { ensureSourcesTopic, ensureUsageTopic, type SourceReader } from '@sluice/sources';
import { type GatewayConfig } from './config.js';
import { type UsageExchange } from './limits/usage-exchange.js';
import { type RefusedLog } from './refused/refused-log.js';
import { type Outbox } from './spool/outbox.js';

/** Age at which a reader is reported as stale; a reader hears from Kafka every half second. */
const staleAfterSeconds = 10;

const describeStaleness = (seconds: number): string =>
  Number.isFinite(seconds)
    ? `changes have not been read for ${Math.round(seconds)} s`
    : 'changes have not been read since the start';

interface Parts {
  kafka: Kafka;
  config: GatewayConfig;
  outbox: Outbox;
  sources: SourceReader;
  plans: PlanReader;
  suppressions: SuppressionReader;
  usage: UsageExchange;
  refused: RefusedLog;
}

/**
 * Connects the gateway to Kafka. The port opens without waiting for Kafka; the connection closes after the last answer.
 */
export class GatewayConnections implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private stopsAt = Infinity;

  constructor(
    private readonly parts: Parts,
    health: Health,
  ) {
    const { outbox, sources, suppressions } = parts;
    health.ready.set('sources', () => {
      if (!sources.isComplete) throw new Error('no registry of sources is known yet');
      // A gateway that cannot follow the sources stays ready for those that it knows. The detail and an alert say so.
      const { staleSeconds } = sources;
      return {
        from: sources.origin,
        ...(staleSeconds > staleAfterSeconds && { stale: describeStaleness(staleSeconds) }),
      };
    });
    health.ready.set('suppressions', () => {
      const { refusal, registry, staleSeconds } = suppressions;
      if (refusal !== undefined) throw new Error(refusal);
      return {
        ids: registry.size,
        ...(staleSeconds > staleAfterSeconds && { stale: describeStaleness(staleSeconds) }),
      };
    });
    health.ready.set('outbox', () => {
      const { unavailableReason, breaker, rows, diskFailure } = outbox.state;
      if (unavailableReason !== undefined) throw new Error(unavailableReason);
      // A failing disk leaves the gateway ready: Kafka still takes messages.
      return { breaker, rows, ...(diskFailure !== undefined && { diskFailure }) };
    });
  }

  /** Resolves when the snapshots of sources, plans and suppressions have been read: the first request needs them. */
  async onModuleInit(): Promise<void> {
    const { kafka, config, outbox, sources, plans, suppressions, usage, refused } = this.parts;
    const ensure = async (): Promise<void> => {
      await ensureTopics(kafka, config, allTopics);
      await ensureSourcesTopic(kafka, config);
      await ensureUsageTopic(kafka, config);
      usage.start();
    };
    const logRefusals = async (): Promise<void> => {
      await ensureTopics(kafka, config, [refusedTopic]);
      await refused.start();
    };
    void keepTrying('creating topics', ensure, this.stopping.signal);
    // Created apart from the others: a gateway that may not create this topic still takes messages, without plans.
    const ensurePlans = (): Promise<unknown> => ensurePlansTopic(kafka, config);
    void keepTrying('creating the topic of plans', ensurePlans, this.stopping.signal);
    const ensureSuppressions = (): Promise<unknown> => ensureSuppressionsTopic(kafka, config);
    void keepTrying('creating the topic of suppressions', ensureSuppressions, this.stopping.signal);
    void keepTrying('connecting the log of refusals', logRefusals, this.stopping.signal);
    await Promise.all([sources.follow(), plans.follow(), suppressions.follow(), outbox.start()]);
  }

  /** Sets the deadline of a stop. Requests end first; the spool gets the time that is left. */
  onModuleDestroy(): void {
    this.stopsAt = performance.now() + this.parts.config.STOP_TIMEOUT_MS;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const { outbox, sources, plans, suppressions, usage, refused } = this.parts;
    const remainingMs = this.stopsAt - performance.now();
    const flushes = [outbox.stop(remainingMs), refused.stop(remainingMs)];
    await Promise.all([...flushes, sources.stop(), plans.stop(), suppressions.stop(), usage.stop()]);
  }
}
