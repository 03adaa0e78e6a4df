import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createKafka, readEnds } from '@sluice/kafka';
import { type Servers } from '../servers.js';

interface InTopic {
  readonly messages: number;
  /** Bytes of its log files, as they are on disk. */
  readonly bytes: number;
}

/** Counts the messages and bytes of a topic that nothing was deleted from. */
export async function inTopic({ brokers, folder }: Servers, topic: string): Promise<InTopic> {
  const { [topic]: ends = [] } = await readEnds(createKafka({ KAFKA_BROKERS: brokers }, 'bench'), [topic]);
  const logs = readdirSync(join(folder, 'kafka'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.log') && basename(dirname(file)).startsWith(`${topic}-`),
  );
  return {
    messages: ends.reduce((sum, end) => sum + Number(end), 0),
    bytes: logs.reduce((sum, file) => sum + statSync(join(folder, 'kafka', file)).size, 0),
  };
}
