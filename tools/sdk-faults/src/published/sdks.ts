import { createHash } from 'node:crypto';
import { type Sdk, type SentEvent, type SentRequest } from './sdk.js';

type Described = Omit<Sdk, 'name' | 'isTuned'>;
type Json = Record<string, unknown>;

/** Events without a number are the SDK's own: page views, sessions, clicks. */
const numbered = (events: readonly { n: unknown; id: unknown }[]): SentEvent[] =>
  events.flatMap(({ n, id }) => (typeof n === 'number' ? [{ n, id: String(id) }] : []));

const objectOf = ({ body }: SentRequest): Json => JSON.parse(body) as Json;
const propertiesOf = (event: Json, name: string): Json => (event[name] ?? {}) as Json;
const empty = (): string => '';

const sluice: Described = {
  page: 'sluice',
  packageName: '@sluice/web',
  path: /^\/api\/tracker\/sdk\//,
  accepted: '{"status":"QUEUED"}',
  refusal: () => '[{"field":"","message":"error.of.the.comparison"}]',
  /** The service's id: key of the request, place and bytes of the message. */
  eventsOf: (request) => {
    const list = objectOf(request)['list'] as Json[];
    const idOf = (item: Json, index: number): string =>
      createHash('sha256')
        .update(JSON.stringify([request.path, request.headers['idempotency-key'], index, item]))
        .digest('hex');
    return numbered(list.map((item, at) => ({ n: propertiesOf(item, 'properties')['n'], id: idOf(item, at) })));
  },
};

const segment: Described = {
  page: 'segment',
  packageName: '@segment/analytics-next',
  path: /^\/v1\/[a-z]$/,
  accepted: '{"success":true}',
  refusal: empty,
  eventsOf: (request) => {
    const event = objectOf(request);
    return numbered([{ n: propertiesOf(event, 'properties')['n'], id: event['messageId'] }]);
  },
};

const posthog: Described = {
  page: 'posthog',
  packageName: 'posthog-js',
  path: /^\/(e|i\/v0\/e|batch)\//,
  accepted: '{"status":"Ok"}',
  refusal: empty,
  /** JSON, or a form whose field `data` is JSON in Base64: a beacon's. */
  eventsOf: ({ body }) => {
    const form = body.startsWith('data=') ? new URLSearchParams(body).get('data') : null;
    const read = JSON.parse(form === null ? body : Buffer.from(form, 'base64').toString()) as Json | Json[];
    const events = Array.isArray(read) ? read : ((read['batch'] as Json[] | undefined) ?? [read]);
    return numbered(events.map((event) => ({ n: propertiesOf(event, 'properties')['n'], id: event['uuid'] })));
  },
};

const rudderstack: Described = {
  page: 'rudderstack',
  packageName: '@rudderstack/analytics-js',
  path: /^\/v1\/\w+$/,
  accepted: 'OK',
  refusal: empty,
  eventsOf: (request) => {
    const read = objectOf(request);
    const events = (read['batch'] as Json[] | undefined) ?? [read];
    return numbered(events.map((event) => ({ n: propertiesOf(event, 'properties')['n'], id: event['messageId'] })));
  },
};

const amplitude: Described = {
  page: 'amplitude',
  packageName: '@amplitude/analytics-browser',
  path: /^\/2\/httpapi$/,
  accepted: '{"code":200,"events_ingested":1,"payload_size_bytes":1,"server_upload_time":1}',
  // The SDK reads the code of the body, not the status.
  refusal: (status) => JSON.stringify({ code: status, error: 'refused', throttled_events: [] }),
  eventsOf: (request) => {
    const events = objectOf(request)['events'] as Json[];
    return numbered(
      events.map((event) => ({ n: propertiesOf(event, 'event_properties')['n'], id: event['insert_id'] })),
    );
  },
};

const snowplow: Described = {
  page: 'snowplow',
  packageName: '@snowplow/browser-tracker',
  path: /^\/com\.snowplowanalytics\.snowplow\/tp2$/,
  accepted: 'ok',
  refusal: empty,
  eventsOf: (request) => {
    const events = objectOf(request)['data'] as Json[];
    return numbered(
      events.map(({ se_la: label, eid }) => ({ n: typeof label === 'string' ? Number(label) : label, id: eid })),
    );
  },
};

const described = [sluice, segment, posthog, rudderstack, amplitude, snowplow];

/** SDKs with their defaults. */
export const sdks: readonly Sdk[] = described.map((sdk) => ({ ...sdk, name: sdk.page, isTuned: false }));

/** SDKs that have options with which fewer events are lost. */
export const tunedSdks: readonly Sdk[] = [segment, rudderstack, amplitude, snowplow].map((sdk) => ({
  ...sdk,
  name: `${sdk.page}, tuned`,
  isTuned: true,
}));
