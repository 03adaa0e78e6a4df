import { createRequire } from 'node:module';
import type * as kafkajs from 'kafkajs';
import { registerCodecs } from './codecs.js';
import { replaceBatch } from './fetched-batch.js';
import { replaceFetchDecoding } from './fetched-records.js';
import { replaceGrouping } from './grouping.js';
import { replaceProduceEncoding } from './produce-request.js';
import { replaceRequestFrame } from './request-frame.js';
import { containRequestQueue } from './request-queue.js';
import { replaceResponseBytes } from './response-bytes.js';
import { patientSyncGroup } from './sync-group.js';

// The one place that loads kafkajs (2.2.4, pinned). Its parts are replaced before the rest of it takes hold of them;
// docs/decisions/0004-kafkajs-contained.md says which and why. Everything else takes values from here, and from 'kafkajs' only types, with
// `import type`: `import { type X }` would load it all the same.
const require = createRequire(import.meta.url);
if (require.cache[require.resolve('kafkajs')]) throw new Error('kafkajs was loaded before its parts were replaced');
replaceBatch(require);
replaceFetchDecoding(require);
replaceProduceEncoding(require);
replaceRequestFrame(require);
replaceGrouping(require);
containRequestQueue(require);
replaceResponseBytes(require);
patientSyncGroup(require);

const loaded = require('kafkajs') as typeof kafkajs;
registerCodecs(loaded);

export const {
  CompressionTypes,
  ConfigResourceTypes,
  Kafka,
  KafkaJSError,
  logLevel,
  PartitionAssigners,
  Partitioners,
} = loaded;
export type CompressionTypes = kafkajs.CompressionTypes;
export type Kafka = kafkajs.Kafka;
export type KafkaJSError = kafkajs.KafkaJSError;
