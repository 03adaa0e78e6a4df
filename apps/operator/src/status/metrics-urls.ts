import { OperatorError } from '../errors.js';

/** Variables with the addresses of the processes' /metrics. */
export const metricsUrls = {
  gateways: { default: '', desc: 'Comma-separated addresses of the gateways’ /metrics, for operator status' },
  consumers: {
    default: '',
    desc: 'Comma-separated addresses of the consumers’ /metrics, for operator status: which partition is stuck, and why',
  },
};

export const listed = (urls: string): string[] => urls.split(',').filter((url) => url.trim() !== '');

export const gatewayAddress = (url: string): string => metricsAddress('--gateway', url);

export function metricsAddress(option: string, url: string): string {
  if (URL.canParse(url)) return url;
  throw new OperatorError(`${option} must be a URL such as http://host:9000/metrics`);
}
