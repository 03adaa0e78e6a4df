import { AnalyticsBrowser } from '@segment/analytics-next';

let analytics;

/** Options that the vendor documents, with which fewer events are lost. */
const tuned = {
  httpConfig: { backoffConfig: { maxRetryCount: 100 }, rateLimitConfig: { maxRetryCount: 100 } },
  deliveryStrategy: { config: { keepalive: true } },
};

export function start(host, isTuned) {
  const apiHost = `${new URL(host).host}/v1`;
  analytics = AnalyticsBrowser.load(
    // Settings that the vendor's CDN would send.
    { writeKey: 'key', cdnSettings: { integrations: { 'Segment.io': { apiKey: 'key' } } } },
    { integrations: { 'Segment.io': { apiHost, protocol: 'http', ...(isTuned && tuned) } } },
  );
}

export function track(n) {
  void analytics.track('purchase', { n });
}
