import { createRequire } from 'node:module';
import type * as kafkajs from 'kafkajs';
import { replaceGrouping } from './grouping.js';
import { replaceProduceEncoding } from './produce-request.js';
import { containRequestQueue } from './request-queue.js';

// The one place that loads kafkajs (2.2.4, pinned). Its parts are replaced before the rest of it takes hold of them;
// docs/decisions/0004 says which and why. Everything else takes values from here, and from 'kafkajs' only types, with
// `import type`: `import { type X }` would load it all the same.
const require = createRequire(import.meta.url);
if (require.cache[require.resolve('kafkajs')]) throw new Error('kafkajs was loaded before its parts were replaced');
replaceProduceEncoding(require);
replaceGrouping(require);
containRequestQueue(require);

export const { ConfigResourceTypes, Kafka, KafkaJSError, logLevel, Partitioners } =
  require('kafkajs') as typeof kafkajs;
