import { newTracker, trackStructEvent } from '@snowplow/browser-tracker';

/** Options that the vendor documents, with which fewer events are lost. */
const tuned = { maxLocalStorageQueueSize: 10_000, keepalive: true, retryStatusCodes: [401] };

export function start(host, isTuned) {
  newTracker('tracker', host, { appId: 'shop', ...(isTuned && tuned) });
}

export function track(n) {
  trackStructEvent({ category: 'shop', action: 'purchase', label: String(n) });
}
