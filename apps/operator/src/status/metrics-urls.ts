export const listed = (urls: string): string[] => urls.split(',').filter((url) => url.trim() !== '');

export const gatewayAddress = (url: string): string => metricsAddress('--gateway', url);

export function metricsAddress(option: string, url: string): string {
  if (URL.canParse(url)) return url;
  throw new OperationError(`${option} must be a URL such as http://host:9000/metrics`);
}
import { OperationError } from '@sluice/operations';
