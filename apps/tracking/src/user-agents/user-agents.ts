import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { codeOf, Counter, type Registry } from '@sluice/service';
import { parserVersion, parseUserAgent } from './parse-user-agent.js';
import { UserAgentTable } from './user-agent-table.js';

const lookEveryMs = 60_000;
/** Interval of looks at all rows, in case a look missed some: a replica can lag for longer than `overlapMs`. */
const fullLookEveryMs = 24 * 60 * 60_000;
/** Time by which looks overlap: an INSERT becomes visible up to two minutes after the time that its rows carry. */
const overlapMs = 300_000;

/**
 * Parses the user agents of stored rows, once a minute and apart from the consumer: a block never waits for it.
 * Each shard is looked at by itself, because each has all of `user_agents`.
 */
@Injectable()
export class UserAgents implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(UserAgents.name);
  private readonly parsed: Counter<'result'>;
  private readonly tables: UserAgentTable[];
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private lookedAt = 0;
  private fullyLookedAt = 0;
  private isFailing = false;

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
    const look = (): void => {
      this.looking ??= this.look().finally(() => (this.looking = undefined));
    };
    this.timer = setInterval(look, lookEveryMs).unref();
    look();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    await Promise.all(this.tables.map((table) => table.close()));
  }

  /** Reads the rows since the last successful look; all rows once a day. After a failure, reads them again. */
  private async look(): Promise<void> {
    const now = Date.now();
    const isFull = now - this.fullyLookedAt >= fullLookEveryMs;
    try {
      for (const table of this.tables) {
        const { parsed, failed } = await table.fill(isFull ? 0 : this.lookedAt - overlapMs);
        this.parsed.inc({ result: 'parsed' }, parsed);
        this.parsed.inc({ result: 'failed' }, failed);
      }
      this.lookedAt = now;
      if (isFull) this.fullyLookedAt = now;
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn({ msg: 'user agents are not parsed for now', code: codeOf(error) });
      this.isFailing = true;
    }
  }
}
