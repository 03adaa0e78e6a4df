import { type ClickHouseClient } from '@clickhouse/client';
import { openClickHouse, selectRows } from './events-table.js';
import { type BenchOptions } from './options.js';
import { progress } from './progress.js';
import { measureQuestion } from './queries/ask.js';
import { fillCatalogAndCampaign } from './queries/fill-catalog.js';
import { fillEvents, sources } from './queries/fill.js';
import { measureInfer } from './queries/infer.js';
import { makeTables } from './queries/make-tables.js';
import { questionsAt } from './queries/questions.js';
import { settle } from './queries/settle.js';
import { type BenchFigure, type BenchReport } from './report.js';
import { type BenchServers } from './servers.js';

const seed = 1;

/** Measures the queries of analysts on a database with months of events. ClickHouse generates the rows itself. */
export async function measureQueries(servers: BenchServers, { load }: BenchOptions): Promise<BenchReport> {
  await makeTables(servers);
  const client = openClickHouse(servers);
  try {
    progress(`queries: filling in ${load.storedEvents.toLocaleString('en-US')} events`);
    await fillEvents(client, { events: load.storedEvents, seed });
    await fillCatalogAndCampaign(client, { events: load.storedEvents, seed });
    await settle(client);
    const figures = await sizes(client);
    const failures: string[] = [];
    const people = await findPeople(client);
    for (const question of questionsAt(new Date())) {
      progress(`  ${question.name}`);
      const answer = await measureQuestion(client, question, people);
      figures.push(...answer.figures);
      if (answer.isEmpty) failures.push(`queries: ${question.name} has no answer`);
      if (question.plainQuery !== undefined && !(await isSame(client, question.query, question.plainQuery)))
        failures.push(`queries: ${question.name} differs from the plain query`);
    }
    progress('  plans infer');
    const inferred = await measureInfer(servers);
    return { figures: [...figures, ...inferred.figures], failures: [...failures, ...inferred.failures] };
  } finally {
    await client.close();
  }
}

async function isSame(client: ClickHouseClient, query: string, plainQuery: string): Promise<boolean> {
  const answer = await selectRows(client, query);
  return JSON.stringify(answer) === JSON.stringify(await selectRows(client, plainQuery));
}

/** Finds a person with an account and about 25 events, and the person with the most events. */
async function findPeople(client: ClickHouseClient): Promise<Record<string, string>> {
  const [row] = await selectRows<{ person: string; busiest: string }>(
    client,
    `SELECT argMinIf(user_id, (abs(events - 25), user_id), linked) AS person, argMax(user_id, events) AS busiest FROM (
       SELECT user_id, count() AS events, user_id IN (SELECT user_id FROM identity_links WHERE source_id = '${sources[0]}') AS linked
       FROM events WHERE source_id = '${sources[0]}' AND user_id != '' GROUP BY user_id)`,
  );
  return { person: row?.person ?? '', busiest: row?.busiest ?? '' };
}

async function sizes(client: ClickHouseClient): Promise<BenchFigure[]> {
  const [row] = await selectRows<{ rows: number; parts: number; whole: number; second: number }>(
    client,
    `SELECT toFloat64(sum(rows)) AS rows, toFloat64(count()) AS parts, sum(bytes_on_disk) / rows AS whole,
       (SELECT sum(bytes_on_disk) FROM system.projection_parts
        WHERE active AND database = currentDatabase() AND table = 'events') / rows AS second
     FROM system.parts WHERE active AND database = currentDatabase() AND table = 'events'`,
  );
  const figure = (measure: string, unit: string, sluice = NaN): BenchFigure => ({
    group: 'events',
    measure,
    unit,
    sluice,
  });
  return [
    figure('stored', 'rows', row?.rows),
    figure('in', 'parts', row?.parts),
    figure('on disk, each', 'bytes', row?.whole),
    figure('of them the second order', 'bytes', row?.second),
  ];
}
