import { type createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * kafkajs looks for pending requests again and again, every millisecond on every connection and with a negative time-out
 * that Node warns of, even when nothing is pending. Here it looks only when something is: whoever adds a request
 * schedules the look itself.
 */
export function containRequestQueue(require: ReturnType<typeof createRequire>): void {
  const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with `call`, on the queue it belongs to
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}
