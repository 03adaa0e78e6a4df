import { type KeyView, type SourceView } from '@sluice/operations';
import { type Source, type SourceLimits } from '@sluice/sources';
import { formatFields, formatGrid, formatTime } from '../terminal-text.js';

/** @param host address for clients of Segment, if it is known */
export const describeSource = (source: SourceView, host = ''): string =>
  formatFields(
    ['source', source.sourceIdentifier],
    ['name', source.name],
    ['type', source.type],
    ['status', source.status],
    ['created', formatTime(source.createdAt)],
    ...(source.limits ? [['limits', describeLimits(source.limits)] as const] : []),
    ...(source.userAgent === 'drop' ? [['user agent', 'dropped'] as const] : []),
    ...(source.segment === 'on' ? [['clients', 'those of Segment as well'] as const, ...hostFields(source, host)] : []),
    ...labelValues(
      'fields',
      Object.entries(source.pii ?? {}).map(([path, rule]) => `${path}  ${rule}`),
    ),
    ...(source.requireConsent === undefined ? [] : [['consent', `required for ${source.requireConsent}`] as const]),
    ...labelValues('origins', source.origins ?? []),
    ...labelValues('keys', source.keys.map(describeKey)),
  );

/** Rows of fields: the label stands next to the first value. */
const labelValues = (label: string, values: readonly string[]) =>
  values.map((value, index) => [index === 0 ? label : '', value] as const);

/** `50 requests a second, 100 at once, 1000000 messages a day` */
function describeLimits(limits: SourceLimits): string {
  const { ratePerSecond, burst, dailyQuota, dailyPeopleQuota, namesPerDay } = limits;
  const rate = ratePerSecond === 0 ? 'any number of requests' : `${String(ratePerSecond)} requests a second`;
  const parts = [
    ...(ratePerSecond === undefined ? [] : [rate]),
    ...(burst === undefined ? [] : [`${burst} at once`]),
    ...(dailyQuota === undefined ? [] : [`${dailyQuota} messages a day`]),
    ...(dailyPeopleQuota === undefined ? [] : [`${dailyPeopleQuota} people and devices a day`]),
    ...(namesPerDay === undefined ? [] : [`${namesPerDay} names on two days`]),
  ];
  return parts.join(', ');
}

/** The address for clients of Segment; no row for a source that does not take them. */
export const hostFields = ({ segment }: Pick<Source, 'segment'>, host: string) =>
  segment === 'on' ? [['host', host === '' ? unknownHost : host.replace(/\/$/, '')] as const] : [];

const unknownHost = 'the address by which clients reach your gateway; GATEWAY_PUBLIC_URL can name it';

/** The write key for clients of Segment; no row for a source that does not take them. */
export const writeKeyFields = (
  { sourceIdentifier, segment }: Pick<Source, 'sourceIdentifier' | 'segment'>,
  apiKey: string,
) => (segment === 'on' ? [['write key', `${sourceIdentifier}_${apiKey}`] as const] : []);

/** Printed with every new key. */
export const keepKeyNotice = 'Keep the API key now: it will not be shown again.';

export function listSources(sources: readonly SourceView[]): string {
  if (sources.length === 0) return 'There are no sources yet: operator sources create --name <name> --type <type>';
  return formatGrid(
    ['SOURCE', 'NAME', 'TYPE', 'STATUS', 'KEYS', 'CREATED'],
    sources.map(({ sourceIdentifier, name, type, status, createdAt, keys }) => [
      sourceIdentifier,
      name,
      type,
      status,
      String(keys.filter(isValid).length),
      formatTime(createdAt),
    ]),
  );
}

const isValid = ({ revokedAt }: KeyView): boolean => revokedAt === undefined;

function describeKey({ keyId, createdAt, revokedAt }: KeyView): string {
  const revoked = revokedAt === undefined ? '' : `, revoked ${formatTime(revokedAt)}`;
  return `${keyId}  created ${formatTime(createdAt)}${revoked}`;
}
