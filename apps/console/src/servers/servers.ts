import { type ClickHouseClient } from '@clickhouse/client';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Servers, type ServerState } from '@sluice/console-api';
import { type Kafka, readCluster, withinDeadline } from '@sluice/kafka';
import { reasonOf } from '@sluice/operations';

const lookEveryMs = 800;
/** With the pause between looks, an absence is known within two seconds. */
const answerMs = 1_000;

type Name = keyof Servers;

/** Watches Kafka and ClickHouse, and tells who is away, and since when. */
@Injectable()
export class ServerWatch implements OnModuleInit, OnApplicationShutdown {
  private readonly states: Servers = { kafka: here(), clickhouse: here() };
  private readonly listeners = new Set<(servers: Servers) => void>();
  private timer: NodeJS.Timeout | undefined;
  private readonly looking = new Set<Name>();

  constructor(
    private readonly kafka: Kafka,
    private readonly clickhouse: ClickHouseClient,
  ) {}

  get current(): Servers {
    return { kafka: { ...this.states.kafka }, clickhouse: { ...this.states.clickhouse } };
  }

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.look();
    }, lookEveryMs).unref();
    this.look();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Calls the listener after each change. @returns a function that ends it */
  onChange(listener: (servers: Servers) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private look(): void {
    this.lookAt('kafka', () => readCluster(this.kafka, []));
    this.lookAt('clickhouse', async () => {
      const answer = await this.clickhouse.ping();
      if (!answer.success) throw answer.error;
    });
  }

  /** Asks one server, unless the last question is still open; that one was given up after its time. */
  private lookAt(name: Name, ask: () => Promise<unknown>): void {
    if (this.looking.has(name)) return;
    this.looking.add(name);
    const asked = ask().finally(() => this.looking.delete(name));
    withinDeadline(asked, answerMs, 'no answer').then(
      () => {
        this.become(name, here());
      },
      (error: unknown) => {
        this.become(name, { isAway: true, since: new Date().toISOString(), reason: reasonOf(error) });
      },
    );
  }

  private become(name: Name, state: ServerState): void {
    if (this.states[name].isAway === state.isAway) return;
    this.states[name] = state;
    for (const listener of this.listeners) listener(this.current);
  }
}

const here = (): ServerState => ({ isAway: false, since: null, reason: null });
