export const splitUrls = (urls: string): string[] => urls.split(',').filter((url) => url.trim() !== '');

export const parseGatewayAddress = (url: string): string => parseMetricsAddress('--gateway', url);

export function parseMetricsAddress(option: string, url: string): string {
  if (URL.canParse(url)) return url;
  throw new OperationError(`${option} must be a URL such as http://host:9000/metrics`);
}
import { OperationError } from '@sluice/operations';
