import { kafkaVariables } from '@sluice/kafka';
import { type Config, port, serviceVariables, str } from '@sluice/service';

export const gatewayVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  GATEWAY_HOST: str({ default: '0.0.0.0', desc: 'Address that clients connect to' }),
  GATEWAY_PORT: port({ default: 8080, desc: 'Port that clients connect to' }),
};
export type GatewayConfig = Config<typeof gatewayVariables>;
