import { duration } from '../duration.js';
import { type Answered, scrapeProcesses } from './processes.js';
import { processName, type Sample, sumOf } from './scrape.js';
import { type GatewayStatus, type Judged, type StatusReport } from '@sluice/console-api';

/** Reads spools and refused requests from gateways, by the addresses of their `/metrics`. */
export async function readGatewayStatus(
  urls: readonly string[],
  lateAfterSeconds: number,
): Promise<StatusReport['gateways']> {
  const gateways = (await scrapeProcesses(urls)).map(gatewayStatus);
  return { ...judgeGateways(gateways, lateAfterSeconds), gateways };
}

const gatewayStatus = ({ url, unreachable, samples }: Answered): GatewayStatus => ({
  ...{ url, name: processName(url, samples, 'gateway'), unreachable },
  ...statusOf(samples),
});

function statusOf(samples: readonly Sample[]): Omit<GatewayStatus, 'url' | 'unreachable'> {
  const refused = samples.filter(({ name, value }) => name === 'sluice_gateway_refused_total' && value > 0);
  return {
    version: samples.find(({ name }) => name === 'sluice_build_info')?.labels['version'] ?? null,
    spoolMessages: sumOf(samples, 'sluice_spool_messages'),
    spoolBytes: sumOf(samples, 'sluice_spool_bytes'),
    spoolOldestAgeSeconds: sumOf(samples, 'sluice_spool_oldest_age_seconds'),
    spoolRefused: sumOf(samples, 'sluice_spool_refused_messages') + sumOf(samples, 'sluice_spool_damaged_messages'),
    requests: sumOf(samples, 'sluice_gateway_requests_total'),
    refused: refused
      .map(({ labels, value }) => ({ reason: labels['reason'] ?? '', requests: value }))
      .sort((a, b) => b.requests - a.requests),
    namesReached: samples
      .filter(({ name, value }) => name === 'sluice_gateway_source_names_reached' && value > 0)
      .map(({ labels }) => labels['source'] ?? ''),
  };
}

export function judgeGateways(gateways: readonly GatewayStatus[], lateAfterSeconds: number): Judged {
  if (gateways.length === 0) return { verdict: 'ok', summary: 'not asked: add --gateway http://host:9000/metrics' };
  const unreachable = gateways.filter((one) => one.unreachable !== null);
  if (unreachable.length > 0)
    return {
      verdict: 'unreachable',
      summary: unreachable.map((one) => `${one.name ?? one.url}: ${one.unreachable ?? ''}`).join('; '),
    };
  const messages = gateways.reduce((sum, { spoolMessages }) => sum + spoolMessages, 0);
  const age = Math.max(...gateways.map(({ spoolOldestAgeSeconds }) => spoolOldestAgeSeconds));
  const count = `${gateways.length} ${gateways.length === 1 ? 'gateway' : 'gateways'}`;
  const refused = gateways.reduce((sum, { spoolRefused }) => sum + spoolRefused, 0);
  const aside =
    (refused === 0 ? '' : `; ${refused} accepted messages lie in refused/: docs/operations.md#spoolrefused`) +
    describeNames(gateways);
  if (messages === 0)
    return { verdict: aside === '' ? 'ok' : 'attention', summary: `${count}, the spool is empty${aside}` };
  const summary = `${messages} messages in the spool, the oldest for ${duration(age)}${aside}`;
  return { verdict: age > lateAfterSeconds ? 'late' : 'attention', summary };
}

const maxShownSources = 5;

function describeNames(gateways: readonly GatewayStatus[]): string {
  const sources = [...new Set(gateways.flatMap(({ namesReached = [] }) => namesReached))];
  if (sources.length === 0) return '';
  const more = sources.length > maxShownSources ? ` and ${sources.length - maxShownSources} more` : '';
  const shown = sources.slice(0, maxShownSources).join(', ');
  return `; new names of ${shown}${more} are kept as text: docs/operations.md#sourcenames`;
}
