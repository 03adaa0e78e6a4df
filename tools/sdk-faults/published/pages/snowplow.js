import { newTracker, trackStructEvent } from '@snowplow/browser-tracker';

export function start(host) {
  newTracker('tracker', host, { appId: 'shop' });
}

export function track(n) {
  trackStructEvent({ category: 'shop', action: 'purchase', label: String(n) });
}
