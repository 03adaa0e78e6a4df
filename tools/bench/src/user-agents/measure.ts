import { trackTopic } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { startBenchApp, startBenchGateway } from '../apps.js';
import { countRows, openClickHouse, select } from '../events-table.js';
import { sendLoad } from '../load.js';
import { type Options } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport, type Figure } from '../report.js';
import { compareShapes, groupOf, shapes, sourceConnections, type Target } from '../rounds.js';
import { type Servers } from '../servers.js';
import { type BenchSource, createWebSender } from '../source.js';
import { inTopic } from './in-topic.js';

const what = 'with user agents; floor: a source that drops them';
const drainMs = 600_000;

/**
 * Measures what a stored user agent costs: one gateway and two sources, whose clients send the same messages with user
 * agents of a public list. One source keeps the user agents, the other drops them.
 */
export async function measureUserAgents(servers: Servers, { load, profiles }: Options): Promise<BenchReport> {
  const [keeps, drops] = [await createWebSender(servers, 'keep'), await createWebSender(servers, 'drop')];
  const { process: gateway, url } = await startBenchGateway(servers, profiles);
  const at = ({ path, headers }: BenchSource, endpoint: string): Target => ({
    pid: gateway.pid,
    headers,
    url: `${url}${path}/${endpoint}`,
    hasUserAgents: true,
  });
  const compared = await compareShapes(what, ({ endpoint }) => [at(keeps, endpoint), at(drops, endpoint)], load);
  const figures: Figure[] = [];
  for (const shape of shapes) {
    const bytesOf = async (source: BenchSource): Promise<number> => {
      const before = await inTopic(servers, trackTopic.name);
      const { items, endpoint } = shape;
      const seconds = load.roundSeconds;
      await sendLoad({ ...at(source, endpoint), items, connections: sourceConnections, seconds });
      const after = await inTopic(servers, trackTopic.name);
      return (after.bytes - before.bytes) / (after.messages - before.messages);
    };
    const [kept, dropped] = [await bytesOf(keeps), await bytesOf(drops)];
    const group = groupOf(shape, what);
    figures.push({ group, measure: 'a message in Kafka', unit: 'bytes', sluice: kept, floor: dropped });
  }
  return {
    figures: [...compared.figures, ...figures, ...(await storedFigures(servers, keeps))],
    failures: compared.failures,
  };
}

/** Stores everything, and measures bytes per row and per user agent once each week is merged into one part. */
async function storedFigures(servers: Servers, { sourceIdentifier }: BenchSource): Promise<Figure[]> {
  const { messages } = await inTopic(servers, trackTopic.name);
  progress(`storing ${messages.toLocaleString('en-US')} messages`);
  await startBenchApp(servers, 'tracking');
  const client = openClickHouse(servers);
  try {
    await eventually(async () => {
      const rows = await countRows(client);
      if (rows !== messages) throw new Error(`${rows} of ${messages} messages are stored`);
    }, drainMs);
    await client.command({ query: 'OPTIMIZE TABLE events FINAL' });
    const [row] = await select<{ column: number; whole: number; kept: number; texts: number }>(
      client,
      `SELECT toFloat64(sumIf(column_data_compressed_bytes, column = 'user_agent')) AS column,
         toFloat64(sum(column_data_compressed_bytes)) AS whole,
         (SELECT toFloat64(count()) FROM events WHERE source_id = '${sourceIdentifier}') AS kept,
         (SELECT toFloat64(uniqExact(user_agent)) FROM events) AS texts
       FROM system.parts_columns WHERE active AND database = currentDatabase() AND table = 'events'`,
    );
    const { column = NaN, whole = NaN, kept = NaN, texts = NaN } = row ?? {};
    const group = 'rows in ClickHouse';
    return [
      { group, measure: 'with a user agent', unit: 'rows', sluice: kept },
      { group, measure: 'different user agents', unit: 'texts', sluice: texts },
      { group, measure: 'the user agent of one', unit: 'bytes', sluice: column / kept },
      { group, measure: 'one as a whole', unit: 'bytes', sluice: whole / messages },
    ];
  } finally {
    await client.close();
  }
}
