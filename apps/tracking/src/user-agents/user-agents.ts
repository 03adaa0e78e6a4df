import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { Counter, type Registry } from '@sluice/service';
import { RepeatedLook } from '../repeated-look.js';
import { parserVersion, parseUserAgent } from './parse-user-agent.js';
import { UserAgentTable } from './user-agent-table.js';

const lookIntervalMs = 60_000;
/** Interval of looks at all rows, in case a look missed some: a replica can lag for longer than `overlapMs`. */
const fullLookIntervalMs = 24 * 60 * 60_000;
/** Time by which looks overlap: an INSERT becomes visible up to two minutes after the time that its rows carry. */
const overlapMs = 300_000;

/**
 * Parses the user agents of stored rows, once a minute and apart from the consumer: a block never waits for it.
 * Each shard is looked at by itself, because each has all of `user_agents`.
 */
@Injectable()
export class UserAgents implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly parsed: Counter<'result'>;
  private readonly tables: UserAgentTable[];
  private readonly looks = new RepeatedLook(
    () => this.look(),
    new Logger(UserAgents.name),
    'user agents are not parsed for now',
  );
  private lastLookTime = 0;
  private lastFullLookTime = 0;

  constructor(config: ClickHouseConfig, registry: Registry) {
    this.parsed = new Counter({
      name: 'sluice_user_agents_total',
      help: 'Distinct user agents that were parsed, by result: parsed, or failed for a text with which the parser threw',
      labelNames: ['result'],
      registers: [registry],
    });
    const urls = config.CLICKHOUSE_SHARDS ? [...config.CLICKHOUSE_SHARDS.values()] : [config.CLICKHOUSE_URL];
    const parser = { version: parserVersion, parse: parseUserAgent };
    this.tables = urls.map(
      (CLICKHOUSE_URL) => new UserAgentTable(createClickHouse({ ...config, CLICKHOUSE_URL }), parser),
    );
  }

  onApplicationBootstrap(): void {
    this.looks.start(lookIntervalMs);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looks.stop();
    await Promise.all(this.tables.map((table) => table.close()));
  }

  /** Reads the rows since the last successful look; all rows once a day. After a failure, reads them again. */
  private async look(): Promise<void> {
    const now = Date.now();
    const isFull = now - this.lastFullLookTime >= fullLookIntervalMs;
    for (const table of this.tables) {
      const { parsed, failed } = await table.parseNewTexts(isFull ? 0 : this.lastLookTime - overlapMs);
      this.parsed.inc({ result: 'parsed' }, parsed);
      this.parsed.inc({ result: 'failed' }, failed);
    }
    this.lastLookTime = now;
    if (isFull) this.lastFullLookTime = now;
  }
}
