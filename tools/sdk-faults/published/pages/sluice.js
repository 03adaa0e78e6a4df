import { createClient } from '@sluice/web';

let client;

export function start(host) {
  client = createClient({ credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' }, host: { apiPath: host } });
}

export function track(n) {
  client.track('purchase', { n });
}
