import { ConfigError } from '@sluice/service';
import { type GatewayConfig } from '../config.js';

const divided = [
  'GATEWAY_MAX_CONNECTIONS',
  'GATEWAY_MAX_REQUESTS_IN_WORK',
  'GATEWAY_MAX_BODY_BYTES_IN_WORK',
  'KEYLESS_MAX_REQUESTS_IN_WORK',
] as const satisfies (keyof GatewayConfig)[];

/**
 * The settings of one worker: an even share of what the gateway as a whole may hold. Connections are handed to workers in
 * turn, so shares fit; rates are not divided but shared (`shareRate`), since one client may have one connection.
 * @throws ConfigError when a limit is too small to be divided.
 */
export function dividedLimits(config: GatewayConfig): Record<string, string> {
  const workers = config.GATEWAY_WORKERS;
  const shares = divided.map((name) => [name, Math.floor(config[name] / workers)] as const);
  const tooSmall = shares.filter(([, share]) => share < 1).map(([name]) => `  ${name}: must be at least ${workers}`);
  if (tooSmall.length > 0) throw new ConfigError(`Invalid configuration:\n${tooSmall.join('\n')}`);
  return Object.fromEntries(shares.map(([name, share]) => [name, String(share)]));
}
