// Takes the place of kafkajs/src/network/requestQueue/index.js.
import { type createRequire } from 'node:module';
import { replaceModule } from './replace-module.js';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}
export type RequestQueueClass<Queue extends RequestQueue = RequestQueue> = new (options: never) => Queue;

/**
 * kafkajs looks for pending requests every millisecond on every connection, even when none is pending, with a negative
 * time-out that Node warns of. The replacement looks only while one is pending: adding it schedules the first look.
 */
export function replaceRequestQueue(require: ReturnType<typeof createRequire>): void {
  replaceModule(require, 'kafkajs/src/network/requestQueue', requestQueueWith);
}

export function requestQueueWith(Original: RequestQueueClass): RequestQueueClass {
  return class QuietRequestQueue extends Original {
    override scheduleCheckPendingRequests(): void {
      if (this.pending.length > 0) super.scheduleCheckPendingRequests();
    }
  };
}
