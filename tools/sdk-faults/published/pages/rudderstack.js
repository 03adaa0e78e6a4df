// The variant that loads no plugins from the vendor's CDN.
import { RudderAnalytics } from '@rudderstack/analytics-js/bundled';

const analytics = new RudderAnalytics();

export function start(host) {
  const source = {
    ...{ id: 'source', name: 'shop', writeKey: 'key', enabled: true, workspaceId: 'workspace' },
    ...{ config: {}, destinations: [], dataplanes: {} },
  };
  // The source's configuration, which the vendor's control plane would send.
  analytics.load('key', host, { getSourceConfig: () => ({ source }) });
}

export function track(n) {
  analytics.track('purchase', { n });
}
