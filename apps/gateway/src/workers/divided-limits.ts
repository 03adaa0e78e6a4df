import { ConfigError } from '@sluice/service';
import { type GatewayConfig } from '../config.js';
import { assertLimits } from '../limits/limits.js';

const divided = [
  'GATEWAY_MAX_CONNECTIONS',
  'GATEWAY_MAX_REQUESTS_IN_WORK',
  'GATEWAY_MAX_BODY_BYTES_IN_WORK',
  'KEYLESS_MAX_REQUESTS_IN_WORK',
] as const satisfies (keyof GatewayConfig)[];
type Divided = (typeof divided)[number];

/**
 * Settings of one worker: an even share of the gateway's limits. Even shares fit, because workers get connections in
 * turn. Rates are not divided but shared (`shareRate`), because a client may have only one connection.
 * @throws ConfigError when a limit is too small to be divided.
 */
export function dividedLimits(config: GatewayConfig): Record<string, string> {
  const workers = config.GATEWAY_WORKERS;
  const share = (name: Divided): number => Math.floor(config[name] / workers);
  const tooSmall = divided.filter((name) => share(name) < 1).map((name) => `${name}: must be at least ${workers}`);
  if (tooSmall.length > 0) throw ConfigError.fromProblems(tooSmall);
  const shares = Object.fromEntries(divided.map((name) => [name, share(name)])) as Record<Divided, number>;
  assertLimits(shares);
  return Object.fromEntries(divided.map((name) => [name, String(shares[name])]));
}
