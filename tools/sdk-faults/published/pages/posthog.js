import posthog from 'posthog-js';

export function start(host) {
  posthog.init('key', {
    api_host: host,
    // Switches off feature flags and scripts, which the vendor's hosts would send.
    advanced_disable_flags: true,
    disable_external_dependency_loading: true,
    // This browser is headless, and would be taken for a crawler.
    opt_out_useragent_filter: true,
  });
}

export function track(n) {
  posthog.capture('purchase', { n });
}
