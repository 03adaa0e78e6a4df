import {
  type Api,
  type EventPlace,
  type EventRow,
  type LetterView,
  type MaskedJson,
  type Operation,
  type RefusedGroup,
  type RefusedRequest,
  type Series,
  type Servers,
  type SourceSummary,
} from '@sluice/console-api';
import { auditEntries } from './audit-fixture.js';
import { buildCatalogAnswers } from './catalog-fixture.js';
import { planAnswers } from './plans-fixture.js';
import { privacyAnswers } from './privacy-fixture.js';
import { statusReport } from './status-fixture.js';
import { buildWatchAnswers } from './watch-fixture.js';

/** Answers of operations, and what the stream of a tab says about the servers. */
export type StubAnswers = { [Op in Operation]?: Api[Op]['answer'] } & { servers: Servers };

const start = Date.UTC(2026, 10, 23, 6, 0, 0);
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();
const now = new Date().toISOString();
const requestId = '019aaf00-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
/** Event name of a hostile client: markup, right-to-left text, and a word too long for a line. */
export const hostileText = `<img src=x onerror=alert(1)>\u202eevil\u202c ${'x'.repeat(90)}`;

const json = (value: unknown, change: Partial<MaskedJson> = {}): MaskedJson => ({
  json: JSON.stringify(value),
  isCut: false,
  isMasked: false,
  ...change,
});

const steps = Array.from({ length: 60 }, (_, i) => i);
const series: Series = {
  times: steps.map((i) => start / 1000 + i * 60),
  stepSeconds: 60,
  accepted: steps.map((i) => 320 + Math.round(90 * Math.sin(i / 6)) + (i % 7) * 4),
  stored: steps.map((i) => (i === 59 ? null : 318 + Math.round(90 * Math.sin((i - 1) / 6)) + (i % 5) * 4)),
  refused: steps.map((i) => (i > 40 && i < 47 ? 22 : i % 9 === 0 ? 1 : 0)),
  knownUntil: { accepted: at(3600), stored: at(3540), refused: at(3600) },
  outages: [{ server: 'clickhouse', from: at(1200), to: at(1440) }],
};
const range = { from: at(0), to: at(3600) };
const sql = 'SELECT toStartOfMinute(received_at) AS minute, count() FROM events GROUP BY minute ORDER BY minute';

export const source: SourceSummary = {
  sourceIdentifier: 'Ab3dEf6hIj9k',
  name: 'Corner shop',
  type: 'web-sdk',
  status: 'enabled',
  createdAt: at(-864_000),
  limits: { ratePerSecond: 50, burst: 200, dailyQuota: 1_000_000 },
  origins: ['https://shop.example'],
  ...{ segment: 'on' as const, requireConsent: 'Analytics' },
  pii: { 'context.ip': 'truncate', 'traits.email': 'hash', 'properties.card.number': 'drop' },
  keys: [
    { keyId: '1f2e3d4c', createdAt: at(-864_000), revokedAt: at(-3600) },
    { keyId: '9a8b7c6d', createdAt: at(-7200), lastUsedAt: now },
    { keyId: '5e6f7a8b', createdAt: at(-9200), revokedAt: at(-7200), lastUsedAt: null },
  ],
  eventsLastHour: 18_342,
  refusedLastHour: 132,
  newestReceived: now,
};

const otherSources: SourceSummary[] = [
  {
    sourceIdentifier: 'Zz9yXx8wVv7u',
    name: hostileText,
    type: 'tracking-api',
    status: 'disabled',
    createdAt: at(-9000),
    keys: [],
    eventsLastHour: null,
    refusedLastHour: null,
    newestReceived: null,
  },
  {
    sourceIdentifier: 'Qq1wEe2rTt3y',
    name: 'Warehouse',
    type: 'catalog-api',
    status: 'enabled',
    createdAt: at(-9000),
    keys: [{ keyId: '00aa11bb', createdAt: at(-9000) }],
    eventsLastHour: 0,
    refusedLastHour: 0,
    newestReceived: at(-90_000),
  },
];

export const refusal: RefusedRequest = {
  requestId,
  at: at(3100),
  sourceIdentifier: source.sourceIdentifier,
  sourceName: source.name,
  method: 'POST',
  route: '/api/tracker/sdk/:sourceIdentifier/track',
  status: 400,
  reason: 'error.request.invalid',
  kind: 'refused',
  problems: [
    { field: 'userId', message: 'must be a text of 1 to 255 characters' },
    { field: 'properties.total', message: `must be finite; ${hostileText}` },
  ],
  userAgent: 'curl/8.14.1',
  hasBody: true,
};

const group: RefusedGroup = {
  sourceIdentifier: source.sourceIdentifier,
  sourceName: source.name,
  kind: 'refused',
  reason: 'error.request.invalid',
  count: 132,
  firstSeen: at(2400),
  newest: at(3100),
  fields: ['userId', 'properties.total'],
};
const claimed: RefusedGroup = {
  ...group,
  reason: 'error.sdk.authorization.failed',
  isClaim: true,
  count: 5,
  fields: [],
};
const keyless: RefusedGroup = {
  sourceIdentifier: '',
  sourceName: '',
  kind: 'refused',
  reason: 'error.sdk.authorization.failed',
  count: 12_840,
  newest: at(3300),
  sentence: 'the key is not one of any source; also: no Authorization header was sent',
  fields: [],
  claims: {
    sources: [
      { sourceIdentifier: source.sourceIdentifier, sourceName: source.name, count: 5 },
      { sourceIdentifier: 'Zz9yXx8wVv7u', sourceName: hostileText, count: 1 },
    ],
    found: 7,
  },
};

const stored: EventPlace = {
  state: 'stored',
  topic: 'tracking.track.v1',
  partition: 7,
  offset: '9007199254740993',
  table: 'events',
  kafkaTimestamp: at(3000.415),
  storedAt: at(3001.02),
  messageId: '019aaf00-1c2d-7000-8000-000000000001',
};
const dead: EventPlace = {
  state: 'dead-lettered',
  topic: 'tracking.track.v1',
  partition: 3,
  offset: '12',
  table: 'events',
  kafkaTimestamp: at(3000.415),
  reason: 'unknown contract track.v9',
  letter: 'tracking.track.v1:3:12@1',
};
const waiting: EventPlace = { ...dead, state: 'waiting', offset: '13' };

const letter: LetterView = {
  id: 'tracking.track.v1:3:12@1763877000000',
  topic: 'tracking.track.v1',
  refusedAt: at(3001),
  takenAt: at(3000),
  reason: `unknown contract ${hostileText}`,
  key: `${source.sourceIdentifier}:user-1`,
  bytes: 812,
  missingBytes: 0,
  replayed: null,
};
const row = {
  event: hostileText,
  user_id: 'user-1',
  received_at: '2026-11-23 06:50:00.123',
  violations: ['wrong_type:items[].price'],
  properties: { total: 49.9, 'a b': [1, 2, { deep: true }], paid: '2026-11-23T10:20:00+03:30' },
};
const user = { id: 'ada', name: 'Ada', role: 'admin', payloads: true, privacy: true } as const;

const anEventRow = (i: number): EventRow => ({
  id: `tracking.track.v1:0:${i}`,
  topic: 'tracking.track.v1',
  table: 'events',
  requestId,
  entity: '',
  sourceIdentifier: source.sourceIdentifier,
  sourceName: source.name,
  user: `user-${i % 3}`,
  event: i === 3 ? hostileText : 'cart_filled',
  receivedAt: at(3500 - i),
  storedAt: at(3501 - i),
});
const aProductRow: EventRow = {
  ...anEventRow(40),
  topic: 'catalog.product.v1',
  table: 'products',
  event: 'product',
  user: '',
  entity: 'product-1',
};
const eventRows = [...Array.from({ length: 12 }, (_, i) => anEventRow(i)), aProductRow];

/** Answers of the stub server, for all pages. */
const setup = { gatewayUrl: 'http://127.0.0.1:8080', scriptUrl: 'http://127.0.0.1:8080/sdk/0/sluice.js' };

export const answers: StubAnswers = {
  'GET /api/session': {
    user: { ...user, endsAt: at(30_000), hasPassword: false },
    signIn: { password: true, oidc: 'Example ID' },
    version: '0.1.0',
  },
  servers: {
    kafka: { isUnreachable: false, since: null, reason: null },
    clickhouse: { isUnreachable: false, since: null, reason: null },
  },
  'GET /api/status': statusReport,
  'GET /api/overview': {
    range,
    series,
    sql,
    sources: [...otherSources, source].map(
      ({ sourceIdentifier, name, newestReceived, eventsLastHour, refusedLastHour }) => ({
        sourceIdentifier,
        name,
        newestReceived,
        newestStored: newestReceived,
        events: eventsLastHour ?? 0,
        refused: refusedLastHour ?? 0,
      }),
    ),
    enabledSources: 2,
  },
  'GET /api/requests/:id': {
    requestId,
    receivedAt: at(3000),
    events: [stored, dead, waiting],
    refused: refusal,
    sql,
    searched: { kafka: { from: at(2940), until: at(3600), messagesRead: 48_210 }, tables: ['events', 'identifies'] },
    problems: [],
    rows: [json(row), null, null],
    command: `npm run -s operator -- events find ${requestId}`,
  },
  'GET /api/events': {
    range,
    rows: eventRows,
    next: 'older',
    searchedUntil: at(120),
    sql,
  },
  'GET /api/events/:id': { ...anEventRow(1), payload: json(row), sql },
  'GET /api/search': {
    hits: [
      { kind: 'source', title: source.name, detail: 'web-sdk, Ab3dEf6hIj9k', to: '/sources/Ab3dEf6hIj9k' },
      { kind: 'user', title: 'user-1', detail: '812 messages in 7 days', to: '/events?user=user-1' },
      { kind: 'event', title: hostileText, detail: '3 in 7 days', to: '/events?event=cart_filled' },
    ],
    problems: [],
  },
  'GET /api/refused': {
    range,
    groups: [keyless, group],
    found: { groups: 2, claims: 0 },
    next: null,
    sql,
    samples: [refusal, { ...refusal, requestId: requestId.replace('0b', '0c'), kind: 'dropped', status: 200 }],
    series: { times: series.times, stepSeconds: 60, counts: steps.map((i) => (i > 40 && i < 47 ? 22 : 0)) },
  },
  'GET /api/refused/:id': {
    ...refusal,
    body: json({ userId: '', event: hostileText, email: '‹string, 17, k3fa›' }, { isMasked: true }),
  },
  'POST /api/try': {
    status: 400,
    requestId,
    answer: JSON.stringify([{ field: 'userId', message: 'must be a text' }]),
    wouldPass: false,
    problems: refusal.problems,
    dropped: [],
    rejected: [],
    tookMs: 4.2,
    curl: "curl -X POST http://127.0.0.1:8080/api/tracker/sdk/Ab3dEf6hIj9k/track?validate=only -d '{}'",
  },
  'GET /api/sources': { sources: [source, ...otherSources], found: 3, all: 3 },
  'POST /api/sources': { source, keyId: '9a8b7c6d', apiKey: 'c2VjcmV0LWtleS1vZi10aGUtdGVzdC1zZXJ2ZXItMDE' },
  'GET /api/sources/:id': {
    ...source,
    series,
    refusals: [group, claimed],
    messagesToday: 214_002,
    peopleToday: 12_407,
    setup,
  },
  'GET /api/sources/:id/settings': { ...source, setup },
  'GET /api/sources/:id/arrivals': { stored: [], refused: [] },
  'POST /api/sources/:id/keys': { keyId: '5e6f7a8b', apiKey: 'YW5vdGhlci1rZXktb2YtdGhlLXRlc3Qtc2VydmVyLTA' },
  ...planAnswers(hostileText),
  ...buildWatchAnswers(hostileText),
  ...buildCatalogAnswers(hostileText),
  ...{ 'PUT /api/sources/:id/segment': source, 'PUT /api/sources/:id/privacy': source },
  'GET /api/pipeline/ledgers': { topics: [{ topic: 'tracking.track.v1', table: 'events' }] },
  'GET /api/pipeline/ledger/progress': { state: 'running', ahead: 0, step: 2, steps: 4 },
  'GET /api/pipeline/ledger': {
    topic: 'tracking.track.v1',
    table: 'events',
    range,
    offsets: '1204882',
    rows: '1204866',
    deadLetters: '3',
    repeats: '11',
    waiting: '1',
    doubled: '1',
    missing: '1',
    isWhole: false,
    remark: null,
    tookMs: 412,
    sql,
    findings: [
      { kind: 'missing', partition: 3, offset: '88123', messageId: requestId, requestId, rows: 0 },
      { kind: 'doubled', partition: 4, offset: '88', messageId: null, requestId: null, rows: 2 },
    ],
  },
  'GET /api/dead-letters': {
    ...{ unlisted: 0, unlistedUntreated: 0 },
    isPartial: false,
    letters: [letter, { ...letter, id: 'tracking.track.v1:3:14@1763877000000', missingBytes: 200 }],
    groups: [{ topic: letter.topic, reason: letter.reason, letters: 5_004, newest: letter.refusedAt }],
    ...{ found: 5_004, untreated: 5_000, all: 5_010, next: 'older', readAt: now },
    command: 'npm run -s operator -- dead-letters list',
  },
  'GET /api/dead-letters/:id': {
    ...letter,
    headers: [{ name: 'contract', value: 'track.v9' }],
    value: json(row),
    requestId,
    now: [dead, stored],
    command: `npm run -s operator -- dead-letters show ${letter.id}`,
  },
  'POST /api/dead-letters/dismiss': { letters: 1, remaining: 0 },
  'POST /api/dead-letters/dry-run': {
    letters: [letter],
    outcomes: [
      { outcome: 'replayed', letters: 1 },
      { outcome: 'damaged', letters: 1 },
    ],
  },
  'POST /api/dead-letters/:id/check': {
    isReadable: true,
    problems: [],
    changed: ['properties.total', hostileText],
    isStored: false,
    table: 'events',
  },
  'POST /api/dead-letters/:id/edit': {
    replayed: [{ ...letter, replayed: { at: at(3300), by: 'ada', isEdited: true } }],
    notReplayed: [],
    error: null,
  },
  'POST /api/dead-letters/replay': { replayed: [letter], notReplayed: [], error: null },
  'GET /api/users': {
    users: [
      { ...user, status: 'active', origin: 'local', createdAt: at(-90_000) },
      {
        id: 'bob',
        name: hostileText,
        role: 'viewer',
        payloads: false,
        privacy: false,
        status: 'invited',
        origin: 'oidc',
        createdAt: at(-9),
      },
    ],
    found: 2,
    all: 2,
  },
  ...privacyAnswers(hostileText),
  'GET /api/views': [
    { id: 'v1', name: 'Refused by the shop', url: '/refused?source=Ab3dEf6hIj9k', owner: 'ada', isShared: false },
    { id: 'v2', name: hostileText, url: '/pipeline', owner: 'bob', isShared: true },
  ],
  'PUT /api/views/:id': { id: 'v3', name: 'Late', url: '/pipeline', owner: 'ada', isShared: false },
  'GET /api/masks': { paths: ['sellers.national_id', 'traits.email', '*phone*'], values: ['email', 'phone', 'card'] },
  'GET /api/audit': auditEntries,
};
