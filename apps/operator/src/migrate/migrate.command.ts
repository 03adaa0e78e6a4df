import { Module } from '@nestjs/common';
import { clickhouseVariables, migrate, planMigrations, type TableChange, tableVariables } from '@sluice/clickhouse';
import { allTopics, systemTopics } from '@sluice/contracts';
import {
  changeTopics,
  endsTopic,
  ensureCompactedTopic,
  ensureTopics,
  type Kafka,
  type KafkaConfig,
  kafkaVariables,
  planTopics,
  type TopicChange,
} from '@sluice/kafka';
import { ensureSourcesTopic, ensureUsageTopic, sourcesTopic, usageTopic } from '@sluice/sources';
import {
  checkClickHouse,
  consoleTopic,
  ensureConsoleTopic,
  findMigrations,
  withClickHouse,
  withKafka,
} from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';

const firstAnswerMs = 8_000;
const allTopicsMs = 60_000;
const topics = [...allTopics, ...systemTopics];

interface MigrateOptions extends OutputOptions {
  plan?: boolean;
}

/** Changes that were made, or that --plan would make. */
interface Migrated {
  /** Topics that are created. */
  topics: string[];
  topicChanges: TopicChange[];
  /** Migrations that are applied, `app/NNNN-name`. */
  migrations: string[];
  tableChanges: TableChange[];
}

@Command({ name: 'migrate', description: 'Create and change topics and tables as configured; safe to repeat' })
export class MigrateCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--plan', description: 'Show what would be done, and do nothing' })
  isPlan(): boolean {
    return true;
  }

  async run(_: string[], options: MigrateOptions): Promise<void> {
    const config = this.connection.read({ ...kafkaVariables, ...clickhouseVariables, ...tableVariables });
    const files = await findMigrations();
    const isPlan = options.plan === true;
    // Both servers are checked before the first change.
    await checkClickHouse(config);
    const planned = await withKafka(config, firstAnswerMs, (kafka) =>
      planTopics(kafka, config, topics, [sourcesTopic, usageTopic, consoleTopic, endsTopic]),
    );
    const created = isPlan ? planned.create : await createTopics(config);
    if (!isPlan) await withKafka(config, firstAnswerMs, (kafka) => changeTopics(kafka, planned.change));
    const { migrations, tables } = await withClickHouse(
      config,
      isPlan ? planMigrations(config, files) : migrate(config, files),
    );
    const done: Migrated = {
      topics: [...created],
      topicChanges: [...planned.change],
      migrations,
      tableChanges: tables,
    };
    this.output.print(done, options, isPlan ? toPlan : toText);
  }
}

@Module({ imports: [ConnectionModule], providers: [MigrateCommand] })
export class MigrateModule {}

async function createTopics(config: KafkaConfig): Promise<string[]> {
  const registry = await withKafka(config, firstAnswerMs, async (kafka) => [
    ...(await ensureSourcesTopic(kafka, config)),
    ...(await ensureUsageTopic(kafka, config)),
    ...(await ensureCompactedTopic(kafka, config, endsTopic)),
    ...(await ensureConsoleTopic(kafka, config)),
  ]);
  const data = await withKafka(config, allTopicsMs, (kafka: Kafka) => ensureTopics(kafka, config, topics));
  return [...registry, ...data];
}

const toText = (done: Migrated): string =>
  linesOf(done, ['topic created', 'topic changed', 'migration applied', 'table changed']);
const toPlan = (plan: Migrated): string =>
  linesOf(plan, ['would create topic', 'would change topic', 'would apply', 'would change table']);

function linesOf({ topics, topicChanges, migrations, tableChanges }: Migrated, verbs: readonly string[]): string {
  const [created = '', topicChanged = '', applied = '', tableChanged = ''] = verbs;
  const lines = [
    ...topics.map((name) => [created, name]),
    ...topicChanges.map(({ topic, setting, from, to }) => [topicChanged, `${topic}: ${setting} ${from} -> ${to}`]),
    ...migrations.map((name) => [applied, name]),
    ...tableChanges.map(({ table, what }) => [tableChanged, `${table}: ${what}`]),
  ];
  if (lines.length === 0) return 'All topics and tables are up to date.';
  return lines.map(([verb = '', what = '']) => `  ${verb.padEnd(20)} ${what}`).join('\n');
}
