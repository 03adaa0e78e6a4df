import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kafka, readEnds } from '@sluice/kafka';
import { local, select } from '../stack.js';
import { type Secrets } from './secrets.js';

/** A place in which a secret was found, with what is around it. */
export interface Leak {
  readonly place: string;
  readonly text: string;
}

/** All columns of all tables, with one query for each table. */
export async function leaksInTables(secrets: Secrets): Promise<Leak[]> {
  const tables = await select<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = {database:String} AND engine NOT LIKE '%View'`,
    { database: local().clickhouse.database },
  );
  const leaks: Leak[] = [];
  for (const { name } of tables) {
    const rows = await select<{ text: string }>(
      `SELECT formatRowNoNewline('JSONEachRow', *) AS text FROM \`${name}\`
       WHERE multiSearchAny(lower(replaceAll(text, '\\\\', '')), {needles:Array(String)}) LIMIT 3`,
      { needles: secrets.needles },
    );
    leaks.push(...rows.map(({ text }) => ({ place: `table ${name}`, text: secrets.find(text) ?? text })));
  }
  return leaks;
}

const idleMs = 3_000;

/** Keys, values and headers of all messages of all topics. @returns the number of messages, too */
export async function leaksInTopics(kafka: Kafka, secrets: Secrets): Promise<{ leaks: Leak[]; messages: number }> {
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'));
  await admin.disconnect();
  const unreadPartitions = new Set(
    Object.entries(await readEnds(kafka, topics)).flatMap(([topic, ends]) =>
      ends.flatMap((end, partition) => (end === '0' ? [] : [`${topic}:${partition}`])),
    ),
  );
  const consumer = kafka.consumer({ groupId: `secrets-${randomUUID()}`, allowAutoTopicCreation: false });
  const leaks: Leak[] = [];
  let messages = 0;
  let readAt = Date.now();
  await consumer.connect();
  try {
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: ({ batch, ...work }) => {
        readAt = Date.now();
        for (const { key, value, headers, offset } of batch.messages) {
          messages++;
          const parts = Object.entries(headers ?? {}).flatMap(([name, content]) => [name, ...[content ?? ''].flat()]);
          const text = secrets.find([key ?? '', value ?? '', ...parts].map(String).join('\n'));
          if (text !== undefined) leaks.push({ place: `topic ${batch.topic}`, text });
          work.resolveOffset(offset);
        }
        if (BigInt(batch.lastOffset()) + 1n >= BigInt(batch.highWatermark))
          unreadPartitions.delete(`${batch.topic}:${batch.partition}`);
        return Promise.resolve();
      },
    });
    // The last offsets of a partition may be those of markers, which are not messages.
    while (unreadPartitions.size > 0 && Date.now() - readAt < idleMs)
      await new Promise((resolve) => setTimeout(resolve, 100));
  } finally {
    await consumer.disconnect();
  }
  return { leaks, messages };
}

/** All files below a folder: logs, spools, snapshots. */
export function leaksInFiles(
  folder: string,
  secrets: Secrets,
  isLeftOut: (name: string) => boolean = () => false,
): Leak[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): Leak[] => {
    const path = join(folder, entry.name);
    if (isLeftOut(entry.name)) return [];
    if (entry.isDirectory()) return leaksInFiles(path, secrets, isLeftOut);
    if (!entry.isFile()) return [];
    const text = secrets.find(readFileSync(path, 'latin1'));
    return text === undefined ? [] : [{ place: `file ${path}`, text }];
  });
}

/** The metrics of these processes. */
export async function leaksInMetrics(urls: readonly string[], secrets: Secrets): Promise<Leak[]> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return texts.flatMap((metrics, index): Leak[] => {
    const text = secrets.find(metrics);
    return text === undefined ? [] : [{ place: `metrics of ${urls[index] ?? ''}`, text }];
  });
}
