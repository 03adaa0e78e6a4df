import { Module } from '@nestjs/common';
import {
  clickhouseVariables,
  migrate,
  planMigrations,
  type SchemaRepair,
  type TableChange,
  type TableConfig,
  tableVariables,
} from '@sluice/clickhouse';
import { allTopics, systemTopics } from '@sluice/contracts';
import {
  changeTopics,
  ensureCompactedTopic,
  ensureTopics,
  type Kafka,
  type KafkaConfig,
  kafkaVariables,
  planTopics,
  shardsTopic,
  type TopicChange,
} from '@sluice/kafka';
import { ensurePlansTopic, plansTopic } from '@sluice/plans';
import { ensureSuppressionsTopic, suppressionsTopic } from '@sluice/privacy';
import { ensureSourcesTopic, ensureUsageTopic, sourcesTopic, usageTopic } from '@sluice/sources';
import {
  changeMap,
  checkClickHouse,
  consoleTopic,
  ensureConsoleTopic,
  ensureErasuresTopic,
  erasuresTopic,
  findMigrations,
  type MapChange,
  planMap,
  requireConsumersStopped,
  withClickHouse,
  withKafka,
} from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';

const firstAnswerMs = 8_000;
const allTopicsMs = 60_000;
const mapMs = 60_000;
/** The copy of large tables to a new shard may take this long. */
const copyMs = 12 * 60 * 60_000;
const topics = [...allTopics, ...systemTopics];

type MigrateConfig = KafkaConfig & TableConfig;

interface MigrateOptions extends OutputOptions {
  plan?: boolean;
}

/** Changes that were made; with --plan, those that would be made. */
interface Migrated {
  /** Topics that are created. */
  topics: string[];
  topicChanges: TopicChange[];
  /** Migrations that are applied, `app/NNNN-name`. */
  migrations: string[];
  tableChanges: TableChange[];
  /** Tables and views that were not what the migrations make. */
  repairs: Pick<SchemaRepair, 'table' | 'problem'>[];
  /** Left out when the map of shards stays as it is. */
  mapChange?: MapChange;
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
    for (const CLICKHOUSE_URL of config.CLICKHOUSE_SHARDS?.values() ?? [config.CLICKHOUSE_URL])
      await checkClickHouse({ ...config, CLICKHOUSE_URL });
    const topicPlan = await withKafka(config, firstAnswerMs, (kafka) =>
      planTopics(kafka, config, topics, compactedTopics(config)),
    );
    const created = isPlan ? topicPlan.create : await createTopics(config);
    if (!isPlan) await withKafka(config, firstAnswerMs, (kafka) => changeTopics(kafka, topicPlan.change));
    const plan = await withClickHouse(config, planMigrations(config, files));
    const mapChange = await withKafka(config, mapMs, async (kafka) => {
      const change = await planMap(config, kafka, plan.tables);
      if (!isPlan) await requireConsumersStopped(kafka, change);
      return change;
    });
    const { migrations, tables, repairs } = isPlan
      ? plan
      : await withClickHouse(config, migrate(config, files, { mayShard: true }));
    if (mapChange && !isPlan) await withKafka(config, copyMs, (kafka) => changeMap(config, kafka, mapChange));
    const changes: Migrated = {
      topics: [...created],
      topicChanges: [...topicPlan.change],
      migrations,
      tableChanges: tables,
      repairs: repairs.map(({ table, problem }) => ({ table, problem })),
      ...(mapChange && { mapChange }),
    };
    this.output.print(changes, options, isPlan ? toPlan : toText);
  }
}

@Module({ imports: [ConnectionModule], providers: [MigrateCommand] })
export class MigrateModule {}

const compactedTopics = ({ CLICKHOUSE_SHARDS }: MigrateConfig): string[] => [
  sourcesTopic,
  plansTopic,
  suppressionsTopic,
  usageTopic,
  consoleTopic,
  erasuresTopic,
  ...(CLICKHOUSE_SHARDS ? [shardsTopic] : []),
];

async function createTopics(config: MigrateConfig): Promise<string[]> {
  const registry = await withKafka(config, firstAnswerMs, async (kafka) => [
    ...(await ensureSourcesTopic(kafka, config)),
    ...(await ensurePlansTopic(kafka, config)),
    ...(await ensureSuppressionsTopic(kafka, config)),
    ...(await ensureUsageTopic(kafka, config)),
    ...(await ensureConsoleTopic(kafka, config)),
    ...(await ensureErasuresTopic(kafka, config)),
    ...(config.CLICKHOUSE_SHARDS ? await ensureCompactedTopic(kafka, config, shardsTopic) : []),
  ]);
  const data = await withKafka(config, allTopicsMs, (kafka: Kafka) => ensureTopics(kafka, config, topics));
  return [...registry, ...data];
}

const toText = (changes: Migrated): string =>
  describeChanges(changes, [
    'topic created',
    'topic changed',
    'migration applied',
    'table changed',
    'map of shards',
    'repaired',
  ]);
const toPlan = (plan: Migrated): string =>
  describeChanges(plan, [
    'would create topic',
    'would change topic',
    'would apply',
    'would change table',
    'would change map',
    'would repair',
  ]);

function describeChanges(
  { topics, topicChanges, migrations, tableChanges, repairs, mapChange }: Migrated,
  verbs: readonly string[],
): string {
  const [created = '', topicChanged = '', applied = '', tableChanged = '', mapChanged = '', repaired = ''] = verbs;
  const lines = [
    ...topics.map((name) => [created, name]),
    ...topicChanges.map(({ topic, setting, from, to }) => [topicChanged, `${topic}: ${setting} ${from} -> ${to}`]),
    ...migrations.map((name) => [applied, name]),
    ...tableChanges.map(({ table, what: change }) => [tableChanged, `${table}: ${change}`]),
    ...repairs.map(({ table, problem }) => [repaired, `${table}: ${problem}${describeConsequence(problem)}`]),
    ...(mapChange ? describeMapChange(mapChange).map((line) => [mapChanged, line]) : []),
  ];
  if (lines.length === 0) return 'All topics and tables are up to date.';
  return lines.map(([verb = '', text = '']) => `  ${verb.padEnd(20)} ${text}`).join('\n');
}

/** Rows that a repair cannot bring back. */
function describeConsequence(problem: string): string {
  if (problem === 'missing materialized view') return '; its target lacks the rows since: docs/upgrades.md#repairs';
  return problem === 'missing table' ? '; it is empty: docs/upgrades.md#repairs' : '';
}

function describeMapChange({ version, fill, from, before, after, mustRest }: MapChange): string[] {
  const shares = version.shards.map((name) => `${name} ${before[name] ?? 0} -> ${after[name] ?? 0}`);
  return [
    `version ${version.version}; of 12 partitions: ${shares.join(', ')}`,
    ...fill.map((name) => `shard ${name}: copy of the tables that every shard has, from ${from ?? ''}`),
    ...(mustRest ? ['consumers rest at that time'] : []),
  ];
}
