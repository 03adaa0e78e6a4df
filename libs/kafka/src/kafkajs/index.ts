import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as kafkajs from 'kafkajs';
import { replaceBatch } from './fetched-batch.js';
import { replaceFetchDecoding } from './fetched-records.js';
import { replaceGrouping } from './grouping.js';
import { replaceProduceEncoding } from './produce-request.js';
import { containRequestQueue } from './request-queue.js';
import { replaceResponseBytes } from './response-bytes.js';

// The one place that loads kafkajs (2.2.4, pinned). Its parts are replaced before the rest of it takes hold of them;
// docs/decisions/0004 says which and why. Everything else imports types from 'kafkajs', and values from here.
const require = createRequire(import.meta.url);
// `import { type … } from 'kafkajs'`, which this file's importers have, loads it already, and its parts are bound then.
const folder = dirname(require.resolve('kafkajs'));
for (const path of Object.keys(require.cache)) if (path.startsWith(folder)) Reflect.deleteProperty(require.cache, path);
replaceBatch(require);
replaceFetchDecoding(require);
replaceProduceEncoding(require);
replaceGrouping(require);
containRequestQueue(require);
replaceResponseBytes(require);

export const { Kafka, KafkaJSError, logLevel, Partitioners } = require('kafkajs') as typeof kafkajs;
