import Table from 'cli-table3';
import { type SourceLimits } from '@sluice/sources';
import { borderless } from '../table.js';
import { type KeyView, type SourceView } from './source-view.js';

/** Labels and values in two columns. */
export function fields(...rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join('\n');
}

export const describeSource = (source: SourceView): string =>
  fields(
    ['source', source.sourceIdentifier],
    ['name', source.name],
    ['type', source.type],
    ['status', source.status],
    ['created', shortTime(source.createdAt)],
    ...(source.limits ? [['limits', describeLimits(source.limits)] as const] : []),
    ...listed('origins', source.origins ?? []),
    ...listed('keys', source.keys.map(describeKey)),
  );

/** A label beside the first of some values, the others below. */
const listed = (label: string, values: readonly string[]) =>
  values.map((value, index) => [index === 0 ? label : '', value] as const);

/** `50 requests a second, 100 at once, 1000000 messages a day` */
function describeLimits({ ratePerSecond, burst, dailyQuota }: SourceLimits): string {
  const rate = ratePerSecond === 0 ? 'any number of requests' : `${String(ratePerSecond)} requests a second`;
  const parts = [
    ...(ratePerSecond === undefined ? [] : [rate]),
    ...(burst === undefined ? [] : [`${burst} at once`]),
    ...(dailyQuota === undefined ? [] : [`${dailyQuota} messages a day`]),
  ];
  return parts.join(', ');
}

/** The one sentence that stands beside every key that is shown. */
export const shownOnce = 'Keep the API key now: it will not be shown again.';

export function listSources(sources: readonly SourceView[]): string {
  if (sources.length === 0) return 'There are no sources yet: operator sources create --name <name> --type <type>';
  const table = new Table({
    head: ['SOURCE', 'NAME', 'TYPE', 'STATUS', 'KEYS', 'CREATED'],
    ...borderless,
  });
  for (const { sourceIdentifier, name, type, status, createdAt, keys } of sources) {
    table.push([sourceIdentifier, name, type, status, String(keys.filter(isValid).length), shortTime(createdAt)]);
  }
  return table.toString().replace(/ +$/gm, '');
}

export const isValid = ({ revokedAt }: KeyView): boolean => revokedAt === undefined;

function describeKey({ keyId, createdAt, revokedAt }: KeyView): string {
  const revoked = revokedAt === undefined ? '' : `, revoked ${shortTime(revokedAt)}`;
  return `${keyId}  created ${shortTime(createdAt)}${revoked}`;
}

/** `2026-01-31 12:00:00 UTC` */
export const shortTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;
