import { ConfigError } from '@sluice/service';
import { type GatewayConfig } from '../config.js';

type Limits = Pick<
  GatewayConfig,
  'KEYLESS_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_BODY_BYTES_IN_WORK'
>;

/** Limit of a batch of track messages in bytes, the largest body of all routes (docs/api.md#routes). */
export const largestBody = 819_200;
/** Memory of which three quarters, the share of requests with a key, hold one batch both compressed and inflated. */
const minBodyBytes = Math.ceil((2 * largestBody * 4) / 3);

/**
 * Checks that requests without a key leave room for those with one, and that the largest body fits.
 * @throws ConfigError
 */
export function assertLimits(limits: Limits): void {
  const problems = [];
  if (limits.KEYLESS_MAX_REQUESTS_IN_WORK >= limits.GATEWAY_MAX_REQUESTS_IN_WORK)
    problems.push('KEYLESS_MAX_REQUESTS_IN_WORK: must be below GATEWAY_MAX_REQUESTS_IN_WORK, for each worker');
  if (limits.GATEWAY_MAX_BODY_BYTES_IN_WORK < minBodyBytes)
    problems.push(`GATEWAY_MAX_BODY_BYTES_IN_WORK: must be at least ${minBodyBytes} for each worker`);
  if (problems.length > 0) throw ConfigError.fromProblems(problems);
}
