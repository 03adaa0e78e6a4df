import * as amplitude from '@amplitude/analytics-browser';

export function start(host) {
  amplitude.init('key', { serverUrl: `${host}/2/httpapi`, fetchRemoteConfig: false });
}

export function track(n) {
  amplitude.track('purchase', { n });
}
