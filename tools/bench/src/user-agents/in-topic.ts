import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createKafka } from '@sluice/kafka';
import { type Servers } from '../servers.js';

interface InTopic {
  readonly messages: number;
  /** Bytes of its log files, as they are on disk. */
  readonly bytes: number;
}

/** What all partitions of a topic hold that nothing was deleted from. */
export async function inTopic({ brokers, folder }: Servers, topic: string): Promise<InTopic> {
  const admin = createKafka({ KAFKA_BROKERS: brokers }, 'bench').admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    const logs = readdirSync(join(folder, 'kafka'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.log') && basename(dirname(file)).startsWith(`${topic}-`),
    );
    return {
      messages: offsets.reduce((sum, { high }) => sum + Number(high), 0),
      bytes: logs.reduce((sum, file) => sum + statSync(join(folder, 'kafka', file)).size, 0),
    };
  } finally {
    await admin.disconnect();
  }
}
