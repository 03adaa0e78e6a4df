import { formatCount } from '../format-count.js';
import { formatDuration } from '../format-duration.js';
import { type ProcessAnswer, scrapeProcesses } from './processes.js';
import { nameProcess, type MetricSample, sumSamples } from './scrape.js';
import { type GatewayStatus, type Judged, type SystemReport } from '@sluice/console-api';

/** Reads spools and refused requests from gateways, by the addresses of their `/metrics`. */
export async function readGatewayStatus(
  urls: readonly string[],
  lateAfterSeconds: number,
): Promise<SystemReport['gateways']> {
  const gateways = (await scrapeProcesses(urls)).map(toGatewayStatus);
  return { ...judgeGateways(gateways, lateAfterSeconds), gateways };
}

const toGatewayStatus = ({ url, unreachable, samples }: ProcessAnswer): GatewayStatus => ({
  ...{ url, name: nameProcess(url, samples, 'gateway'), unreachable },
  ...summarizeSamples(samples),
});

function summarizeSamples(samples: readonly MetricSample[]): Omit<GatewayStatus, 'url' | 'unreachable'> {
  const refused = samples.filter(({ name, value }) => name === 'sluice_gateway_refused_total' && value > 0);
  return {
    version: samples.find(({ name }) => name === 'sluice_build_info')?.labels['version'] ?? null,
    spoolMessages: sumSamples(samples, 'sluice_spool_messages'),
    spoolBytes: sumSamples(samples, 'sluice_spool_bytes'),
    spoolOldestAgeSeconds: sumSamples(samples, 'sluice_spool_oldest_age_seconds'),
    spoolRefused:
      sumSamples(samples, 'sluice_spool_refused_messages') + sumSamples(samples, 'sluice_spool_damaged_messages'),
    requests: sumSamples(samples, 'sluice_gateway_requests_total'),
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
  const unreachable = gateways.filter((gateway) => gateway.unreachable !== null);
  if (unreachable.length > 0)
    return {
      verdict: 'unreachable',
      summary: unreachable.map((gateway) => `${gateway.name ?? gateway.url}: ${gateway.unreachable ?? ''}`).join('; '),
    };
  const messages = gateways.reduce((sum, { spoolMessages }) => sum + spoolMessages, 0);
  const age = Math.max(...gateways.map(({ spoolOldestAgeSeconds }) => spoolOldestAgeSeconds));
  const count = formatCount(gateways.length, 'gateway', 'gateways');
  const refused = gateways.reduce((sum, { spoolRefused }) => sum + spoolRefused, 0);
  const notice =
    (refused === 0
      ? ''
      : `; ${formatCount(refused, 'accepted message lies', 'accepted messages lie')} in refused/: docs/runbooks.md#spoolrefused`) +
    describeNames(gateways);
  if (messages === 0)
    return { verdict: notice === '' ? 'ok' : 'attention', summary: `${count}, the spool is empty${notice}` };
  const summary = `${formatCount(messages, 'message', 'messages')} in the spool, the oldest for ${formatDuration(age)}${notice}`;
  return { verdict: age > lateAfterSeconds ? 'late' : 'attention', summary };
}

const maxShownSources = 5;

function describeNames(gateways: readonly GatewayStatus[]): string {
  const sources = [...new Set(gateways.flatMap(({ namesReached = [] }) => namesReached))];
  if (sources.length === 0) return '';
  const furtherSources =
    sources.length > maxShownSources ? ` and ${sources.length - maxShownSources} other sources` : '';
  const shownSources = sources.slice(0, maxShownSources).join(', ');
  return `; new names of ${shownSources}${furtherSources} are kept as text: docs/runbooks.md#sourcenames`;
}
