// The variant that loads no plugins from the vendor's CDN.
import { RudderAnalytics } from '@rudderstack/analytics-js/bundled';

const analytics = new RudderAnalytics();

/** Options that the vendor documents, with which fewer events are lost. */
const tuned = { queueOptions: { maxAttempts: 1000, maxItems: 10_000 } };

export function start(host, isTuned) {
  const source = {
    ...{ id: 'source', name: 'shop', writeKey: 'key', enabled: true, workspaceId: 'workspace' },
    ...{ config: {}, destinations: [], dataplanes: {} },
  };
  // The source's configuration, which the vendor's control plane would send.
  analytics.load('key', host, { getSourceConfig: () => ({ source }), ...(isTuned && tuned) });
}

export function track(n) {
  analytics.track('purchase', { n });
}
