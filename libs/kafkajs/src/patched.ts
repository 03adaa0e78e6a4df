// Loads kafkajs/index.js with all replacements in place; nothing else loads kafkajs.
import { createRequire } from 'node:module';
import type * as kafkajs from 'kafkajs';
import { registerCodecs } from './codecs.js';
import { replaceConsumerGroup } from './consumer-group.js';
import { replaceBatch } from './fetched-batch.js';
import { replaceFetchDecoding } from './fetched-records.js';
import { replaceGrouping } from './grouping.js';
import { replaceProduceEncoding } from './produce-request.js';
import { replaceRequestFrame } from './request-frame.js';
import { replaceRequestQueue } from './request-queue.js';
import { replaceResponseBytes } from './response-bytes.js';
import { replaceSyncGroup } from './sync-group.js';

// Parts of kafkajs (2.2.4, pinned) are replaced before its other parts load them; which and why is in
// docs/decisions/0004-kafkajs-contained.md. Files of this library import from 'kafkajs' with `import type` only:
// `import { type X }` would load it.
const require = createRequire(import.meta.url);
if (require.cache[require.resolve('kafkajs')]) throw new Error('kafkajs was loaded before its parts were replaced');
replaceSyncGroup(require);
replaceBatch(require);
replaceFetchDecoding(require);
replaceProduceEncoding(require);
replaceRequestFrame(require);
replaceGrouping(require);
replaceRequestQueue(require);
replaceResponseBytes(require);
// Comes last, because it loads parts that are replaced above.
replaceConsumerGroup(require);

const loaded = require('kafkajs') as typeof kafkajs;
registerCodecs(loaded);

export const {
  CompressionTypes,
  ConfigResourceTypes,
  Kafka,
  KafkaJSError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
  logLevel,
  PartitionAssigners,
  Partitioners,
} = loaded;
export type CompressionTypes = kafkajs.CompressionTypes;
export type Kafka = kafkajs.Kafka;
export type KafkaJSError = kafkajs.KafkaJSError;
