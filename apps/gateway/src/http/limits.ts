import { ConfigError } from '@sluice/service';
import { type GatewayConfig } from '../config.js';

type Limits = Pick<
  GatewayConfig,
  'KEYLESS_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_BODY_BYTES_IN_WORK'
>;

/** Bytes of a batch of track messages, the largest body there is (docs/api.md#routes). */
export const largestBody = 819_200;
/** Room for one compressed batch, as sent and as inflated, in the three quarters that requests with a key have. */
const leastBodyBytes = Math.ceil((2 * largestBody * 4) / 3);

/** Requests without a key must leave room for those with one, and the largest request must find room. @throws ConfigError */
export function assertLimits(limits: Limits): void {
  const problems = [];
  if (limits.KEYLESS_MAX_REQUESTS_IN_WORK >= limits.GATEWAY_MAX_REQUESTS_IN_WORK)
    problems.push('KEYLESS_MAX_REQUESTS_IN_WORK: must be below GATEWAY_MAX_REQUESTS_IN_WORK, for each worker');
  if (limits.GATEWAY_MAX_BODY_BYTES_IN_WORK < leastBodyBytes)
    problems.push(`GATEWAY_MAX_BODY_BYTES_IN_WORK: must be at least ${leastBodyBytes} for each worker`);
  if (problems.length > 0) throw ConfigError.of(problems);
}
