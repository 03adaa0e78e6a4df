import * as amplitude from '@amplitude/analytics-browser';

/** Options that the vendor documents, with which fewer events are lost. */
const tuned = { flushMaxRetries: 1000 };

export function start(host, isTuned) {
  amplitude.init('key', { serverUrl: `${host}/2/httpapi`, fetchRemoteConfig: false, ...(isTuned && tuned) });
}

export function track(n) {
  amplitude.track('purchase', { n });
}
