import { AnalyticsBrowser } from '@segment/analytics-next';

let analytics;

export function start(host) {
  const apiHost = `${new URL(host).host}/v1`;
  analytics = AnalyticsBrowser.load(
    // Settings that the vendor's CDN would send.
    { writeKey: 'key', cdnSettings: { integrations: { 'Segment.io': { apiKey: 'key' } } } },
    { integrations: { 'Segment.io': { apiHost, protocol: 'http' } } },
  );
}

export function track(n) {
  void analytics.track('purchase', { n });
}
