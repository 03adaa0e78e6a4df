import { clickhouseVariables, migrate } from '@sluice/clickhouse';
import { allTopics } from '@sluice/contracts';
import { ensureTopics, type KafkaConfig, kafkaVariables } from '@sluice/kafka';
import { ensureSourcesTopic } from '@sluice/sources';
import { Command } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { withKafka } from '../connection/with-kafka.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { findMigrations } from './migration-files.js';
import { checkClickHouse, withClickHouse } from './with-clickhouse.js';

const firstAnswerMs = 8_000;
const allTopicsMs = 60_000;

interface Migrated {
  /** Topics created now. */
  topics: string[];
  /** Migrations applied now, `app/NNNN-name`. */
  migrations: string[];
}

@Command({ name: 'migrate', description: 'Create the topics and tables that are missing; safe to repeat' })
export class MigrateCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: OutputOptions): Promise<void> {
    const config = this.connection.read({ ...kafkaVariables, ...clickhouseVariables });
    const files = await findMigrations();
    // Nothing is begun while one of the two servers is away.
    await checkClickHouse(config);
    const topics = await createTopics(config);
    const migrations = await withClickHouse(config, migrate(config, files));
    this.output.print({ topics, migrations }, options, toText);
  }
}

async function createTopics(config: KafkaConfig): Promise<string[]> {
  const registry = await withKafka(config, firstAnswerMs, (kafka) => ensureSourcesTopic(kafka, config));
  const data = await withKafka(config, allTopicsMs, (kafka) => ensureTopics(kafka, config, allTopics));
  return [...registry, ...data];
}

function toText({ topics, migrations }: Migrated): string {
  const lines = [...topics.map((name) => `  topic created      ${name}`)];
  lines.push(...migrations.map((name) => `  migration applied  ${name}`));
  return lines.length === 0 ? 'All topics and tables are up to date.' : lines.join('\n');
}
