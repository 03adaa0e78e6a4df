import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse } from '@sluice/clickhouse';
import { deadLetterTopic, identifyTopic } from '@sluice/contracts';
import { createKafka, type Kafka } from '@sluice/kafka';
import { SourceRegistry, SourceWriter } from '@sluice/sources';
import { launchChromium, type Local } from '@sluice/testing';
import { type Browser, type CDPSession, type Page } from 'playwright-core';
import { clickhouseConfig } from '../clickhouse-config.js';
import { progress } from '../progress.js';
import { type BenchFigure } from '../report.js';
import { timePaint, signedInPage } from './pages.js';

const sources = 5_000;
const letters = 100_000;
const refusals = 1_000_000;
const idleMs = 20_000;
/** The first page waits for the first reading of all letters. */
const first = '/pipeline';
const pages = [first, '/', '/sources', '/events', '/live', '/refused', '/dead-letters', '/privacy'];

/** Figures of pages in an installation with thousands of everything: what they hold, read again and cost while idle. */
export async function measureThousands(local: Local, cookie: string): Promise<BenchFigure[]> {
  const kafka = createKafka({ KAFKA_BROKERS: local.kafka.brokers }, 'bench');
  const sources = await makeSources(kafka);
  await Promise.all([makeLetters(kafka, sources), makeRefusals(local, sources)]);
  const browser = await launchChromium();
  try {
    const figures: BenchFigure[] = [];
    for (const path of pages) {
      progress(`console: thousands, ${path}`);
      figures.push(...(await measurePage(browser, local, cookie, path)));
    }
    return figures;
  } finally {
    await browser.close();
  }
}

async function makeSources(kafka: Kafka): Promise<string[]> {
  const ids = Array.from({ length: sources }, () => randomUUID().replaceAll('-', '').slice(0, 12));
  const records = ids.map((sourceIdentifier, n) => {
    const source = { sourceIdentifier, name: `Shop ${n}`, type: 'web-sdk', status: 'enabled', createdAt: now() };
    return { key: sourceIdentifier, value: Buffer.from(JSON.stringify(source)) };
  });
  await new SourceWriter(kafka, new SourceRegistry()).import({
    records,
    created: [],
    changed: [],
    unchanged: 0,
  });
  return ids;
}

const now = (): string => new Date().toISOString();

async function makeLetters(kafka: Kafka, ids: readonly string[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  const topic = deadLetterTopic(identifyTopic.name);
  const atOnce = 1_000;
  for (let first = 0; first < letters; first += atOnce) {
    const messages = Array.from({ length: atOnce }, (_, i) => ({
      key: `${ids[(first + i) % ids.length] ?? ''}:user-${first + i}`,
      value: JSON.stringify({ message_id: randomUUID(), traits: { n: first + i } }),
      headers: {
        contract: 'identify.v9',
        'dead-letter-reason': `unknown contract identify.v${(first + i) % 30}`,
        'dead-letter-topic': identifyTopic.name,
        'dead-letter-partition': '0',
        'dead-letter-offset': String(1_000_000_000 + first + i),
        'dead-letter-timestamp': String(Date.now()),
      },
    }));
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
}

/** Refusals of the last hour: a count of each, and a sample of one in a hundred. */
async function makeRefusals(local: Local, ids: readonly string[]): Promise<void> {
  const clickhouse = createClickHouse({
    ...clickhouseConfig(local.clickhouse.url),
    CLICKHOUSE_DATABASE: local.clickhouse.database,
  });
  try {
    await clickhouse.command({
      query: `INSERT INTO refused_requests (source_id, kind, counted, reason, requests, route, status, problems, message_id, request_id, received_at)
        SELECT {ids:Array(String)}[1 + number % length({ids:Array(String)})], if(number % 100 = 0, 'refused', 'count'), if(number % 100 = 0, '', 'refused'),
          concat('reason_', toString(number % 20)), 1, '/track', 400, '[{"field":"userId","message":"must be there"}]', generateUUIDv4(), generateUUIDv4(),
          now64(3) - toIntervalMillisecond(number * 3600 / 1000)
        FROM numbers(${refusals})`,
      query_params: { ids: ids.slice(0, 2_000) },
    });
  } finally {
    await clickhouse.close();
  }
}

async function measurePage(browser: Browser, local: Local, cookie: string, path: string): Promise<BenchFigure[]> {
  const paint = await timePaint(browser, local, cookie, path);
  const page = await signedInPage(browser, local, cookie);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  await page.goto(`${local.console.url}${path}`);
  await page.locator('h1').waitFor();
  await sleep(5_000);
  const answers = largestAnswers(page);
  const before = await taskSeconds(devTools);
  await sleep(idleMs);
  const busy = ((await taskSeconds(devTools)) - before) / (idleMs / 1_000);
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length');
  await Promise.all(answers.open);
  await page.context().close();
  const group = `console, ${sources} sources, ${letters} letters, ${refusals} refusals: ${path}`;
  return [
    { group, measure: 'largest paint, cold, CPU slowed 4 times', unit: 'ms', sluice: paint },
    { group, measure: 'nodes', unit: '', sluice: nodes },
    { group, measure: 'largest polled answer', unit: 'KB', sluice: answers.largest() / 1_000 },
    { group, measure: 'main thread while idle, of a core', unit: '%', sluice: 100 * busy },
  ];
}

/** Sizes of the answers that the page polls, from now on. */
function largestAnswers(page: Page): { open: Promise<void>[]; largest: () => number } {
  let largest = 0;
  const open: Promise<void>[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/api/') || response.url().includes('/api/now')) return;
    if (response.url().includes('/api/live')) return;
    open.push(
      response.body().then(
        (body) => void (largest = Math.max(largest, body.length)),
        () => undefined,
      ),
    );
  });
  return { open, largest: () => largest };
}

async function taskSeconds(devTools: CDPSession): Promise<number> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}
