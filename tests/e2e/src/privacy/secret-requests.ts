import { fieldForms, messageWith, messageWrappings, pathOfField, type Random } from '@sluice/testing';
import { basicAuthorization } from '../segment/write-key.js';
import { type RuledSource } from './secret-sources.js';
import { escapedText, type Secrets } from './secrets.js';

/** A request whose secrets must be stored nowhere. */
export interface SecretRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Make = (context: Making) => SecretRequest;

interface Making {
  readonly random: Random;
  readonly source: RuledSource;
  readonly secrets: Secrets;
}

const maxItems = 8;
const json = { 'content-type': 'application/json' };
const segmentTypes = ['track', 'identify', 'group', 'alias', 'page', 'screen'] as const;

/** A message with a new secret in a field for which the source has a rule. */
function aMessage({ random, source, secrets }: Making, path: string): { body: object; batch?: object | undefined } {
  const field = random.pick(source.fields);
  const form = random.pick(fieldForms);
  const wrapping = random.pick(Object.keys(messageWrappings));
  const secret = secrets.make(`${path}, ${pathOfField(field)} ${form}, wrapped: ${wrapping}`);
  const wrap = messageWrappings[wrapping];
  if (!wrap) throw new RangeError('no such wrapping');
  const { body, batch } = wrap(messageWith(field, form, secret));
  // Some have no person, or a wrong name: they are refused.
  const { userId, ...rest } = body;
  const ids = random.chance(0.2) ? {} : { userId: userId ?? 'u' };
  return { body: { ...rest, ...ids, ...(random.chance(0.1) && { event: 'not valid!' }) }, batch };
}

/** JSON text, sometimes with escapes where none are needed, or cut off. */
function textFor({ random, source }: Making, body: unknown): string {
  const text = JSON.stringify(body);
  const escaped = random.chance(0.1) ? text.replace(/zq[0-9a-z]{18}/g, escapedText) : text;
  // A body that is not JSON is kept of a source without rules.
  return source.fields.length > 0 && random.chance(0.1) ? escaped.slice(0, -1 - random.below(3)) : escaped;
}

const bearer = ({ apiKey }: RuledSource) => ({ authorization: `Bearer ${apiKey}` });
const basic = ({ sourceIdentifier, apiKey }: RuledSource) => ({
  authorization: basicAuthorization({ writeKey: `${sourceIdentifier}_${apiKey}` }),
});

/** A User-Agent that is a secret if the source stores none. */
const agent = ({ source, secrets }: Making, path: string): Record<string, string> =>
  source.dropsUserAgent ? { 'user-agent': `Shop/1 (${secrets.make(`User-Agent of ${path}`)})` } : {};

function native(making: Making, endpoint: string, body: unknown): SecretRequest {
  const { random, source } = making;
  const query = random.chance(0.1) ? '?validate=only' : '';
  const lenient = random.chance(0.3) ? { prefer: 'handling=lenient' } : {};
  const path = `/api/tracker/${endpoint.includes('/') ? endpoint : `sdk/:source/${endpoint}`}${query}`;
  const headers = { ...json, ...bearer(source), ...lenient, ...agent(making, path) };
  return {
    path: path.replace(':source', source.sourceIdentifier),
    method: 'POST',
    headers,
    body: textFor(making, body),
  };
}

function segment(making: Making, endpoint: string, body: object): SecretRequest {
  const { random, source } = making;
  const { sourceIdentifier, apiKey } = source;
  const isInPath = random.chance(0.3);
  const path = isInPath ? `/s/${sourceIdentifier}_${apiKey}/v1/${endpoint}` : `/v1/${endpoint}`;
  const writeKey = random.chance(0.3) ? { writeKey: `${sourceIdentifier}_${apiKey}` } : {};
  const headers = { ...json, ...(!isInPath && basic(source)), ...agent(making, endpoint) };
  return { path, method: 'POST', headers, body: textFor(making, { ...body, ...writeKey }) };
}

const several = (random: Random, make: () => object): object[] =>
  Array.from({ length: 1 + random.below(maxItems) }, make);

/** Requests of a source with rules, by their names. */
const ruled: Readonly<Record<string, Make>> = {
  track: (making) => native(making, 'track', aMessage(making, 'track').body),
  identify: (making) => native(making, 'identify', aMessage(making, 'identify').body),
  trackBatch: (making) =>
    native(making, 'trackBatch', { list: several(making.random, () => aMessage(making, 'trackBatch').body) }),
  identifyBatch: (making) =>
    native(making, 'identifyBatch', { list: several(making.random, () => aMessage(making, 'identifyBatch').body) }),
  'a batch with members of its own': (making) => {
    const { body, batch = {} } = aMessage(making, 'a batch with members of its own');
    return native(making, 'trackBatch', { ...body, ...batch, list: [body] });
  },
  'a push event': (making) => {
    const name = making.random.pick(['registered', 'clicked', 'failed']);
    const { body } = aMessage(making, `push ${name}`);
    const pushProperties = { key: 'k', device_id: 'd', sdk: 'WEB', id: 'token', url: 'https://shop.example/' };
    const properties = { ...pushProperties, ...(body as { properties?: object }).properties };
    return native(making, 'track', { ...body, event: `bb_notification_${name}`, properties });
  },
  'a wrong endpoint': (making) => {
    const endpoint = making.random.pick(['catalog/:source/seller', 'catalog/:source/general', 'sdk/:source/alias']);
    return native(making, endpoint, aMessage(making, endpoint).body);
  },
  'a wrong key': (making) => {
    const request = native(making, 'track', aMessage(making, 'a wrong key').body);
    return { ...request, headers: { ...request.headers, authorization: 'Bearer wrong' } };
  },
  'segment single': (making) => {
    const endpoint = making.random.pick(segmentTypes);
    return segment(making, endpoint, aMessage(making, `segment ${endpoint}`).body);
  },
  'segment batch': (making) => {
    const { random } = making;
    const endpoint = random.pick(['batch', 'import']);
    let shared: object = {};
    const batch = several(random, () => {
      const type = random.chance(0.1) ? 'hum' : random.pick(segmentTypes);
      const message = aMessage(making, `segment ${endpoint} ${type}`);
      shared = { ...shared, ...message.batch };
      return { type, ...(type === 'group' && { groupId: 'g' }), ...message.body };
    });
    return segment(making, endpoint, { ...shared, batch });
  },
  'segment user agent': (making) => {
    const { source, secrets } = making;
    const userAgent = source.dropsUserAgent ? secrets.make('context.userAgent') : 'Shop/1';
    return segment(making, 'track', { userId: 'u', event: 'e', context: { userAgent } });
  },
};

/** A write key that no gateway knows, of a source that it knows. */
const aWriteKey = ({ source, secrets }: Making, origin: string): string =>
  `${source.sourceIdentifier}_${secrets.makeKey(origin)}`;

/** Requests with keys where clients put them by mistake, by their names. Their source may have no rules. */
const keyed: Readonly<Record<string, Make>> = {
  'writeKey of a message': (making) => {
    const writeKey = aWriteKey(making, 'writeKey of a message');
    const { random, source } = making;
    const message = { userId: 'u', event: 'e', writeKey };
    if (random.chance(0.5)) return segment(making, random.pick(segmentTypes), message);
    return { ...native(making, 'track', message), headers: { ...json, ...bearer(source), prefer: 'handling=lenient' } };
  },
  'writeKey of a batch': (making) => {
    const items = several(making.random, () => ({
      ...{ type: making.random.pick([...segmentTypes, 'hum']), userId: 'u', event: 'e', groupId: 'g', previousId: 'p' },
      writeKey: aWriteKey(making, 'writeKey of an item'),
    }));
    const request = segment(making, 'batch', { batch: items });
    const body = request.body?.replace(/\}$/, `,"writeKey":"${aWriteKey(making, 'writeKey of a batch')}"}`) ?? '';
    return { ...request, body };
  },
  'a key in a refused body': (making) => {
    const { random, source } = making;
    const key = aWriteKey(making, 'a key in a refused body');
    const header = basicAuthorization({ writeKey: key });
    const keyProperties = random.pick<object>([
      { note: key },
      { note: `see ${header}` },
      { writeKey: key },
      { write_key: key },
    ]);
    const text = JSON.stringify({ event: 'e', properties: keyProperties });
    const request = random.chance(0.5) ? native(making, 'track', {}) : segment(making, 'track', {});
    // A body may be cut off where a key stands, and need not be JSON.
    const padding = random.chance(0.3) ? ' '.repeat(8_192 - text.length + random.below(60)) : '';
    const body = random.chance(0.5) ? text : text.slice(0, -1);
    const isSegment = request.path.startsWith('/v1') || request.path.startsWith('/s/');
    return { ...request, headers: { ...request.headers, ...(!isSegment && bearer(source)) }, body: padding + body };
  },
  'a key in a path': (making) => {
    const { random, source } = making;
    const key = aWriteKey(making, 'a key in a path');
    const bare = key.slice(key.indexOf('_') + 1);
    const path = random.pick([
      ...[`/s/${key}/v1/track`, `/s/${key}/v2`, `/v1/${key}`, `/v1/projects/${key}/settings`, `/${bare}`],
      ...[`/api/tracker/sdk/${source.sourceIdentifier}/track/${bare}`, `/api/tracker/sdk/${bare}/track`],
      ...[`/x?key=${bare}`, `/api/tracker/sdk/${source.sourceIdentifier}/track?key=${bare}`],
      ...[`/${encodeURIComponent(escapedPath(bare))}`, `/s/${escapedPath(key)}/x`, `/v1/x%2F${key}`],
    ]);
    return { path, method: 'POST', headers: { ...json, ...bearer(source) }, body: '{"userId":"u","event":"e"}' };
  },
  'a key in a header': (making) => {
    const { random, source } = making;
    const key = aWriteKey(making, 'a key in a header');
    const bare = key.slice(key.indexOf('_') + 1);
    const headers: Record<string, string> = random.pick([
      { authorization: basicAuthorization({ writeKey: key }) },
      { authorization: `Bearer ${bare}` },
      { authorization: `Bearer ${key}` },
      { ...bearer(source), 'user-agent': `curl ${bare}` },
      { ...bearer(source), 'idempotency-key': bare },
      { ...bearer(source), 'content-type': `application/json; key=${bare}` },
    ]);
    const path = random.pick(['/v1/track', `/api/tracker/sdk/${source.sourceIdentifier}/track`]);
    return { path, method: 'POST', headers: { ...json, ...headers }, body: '{"event":"nobody"}' };
  },
  'a key in a push callback': (making) => {
    const bare = making.secrets.makeKey('a key in a push callback');
    const name = making.random.pick(['delivered', 'click', 'close', 'failed', 'open', 'x']);
    const query = making.random.pick([`token=${bare}`, `token=x&url=https://shop.example/${bare}`, `button=${bare}`]);
    return { path: `/api/tracker/general/${name}?${query}`, method: 'GET', headers: {} };
  },
};

const escapedPath = (text: string): string =>
  Array.from(text, (char, index) => (index % 3 === 0 ? `%${char.charCodeAt(0).toString(16)}` : char)).join('');

/** A random request of one of the sources. */
export function aSecretRequest(random: Random, sources: readonly RuledSource[], secrets: Secrets): SecretRequest {
  const source = random.pick(sources);
  const makes = source.fields.length > 0 && random.chance(0.75) ? ruled : keyed;
  const make = makes[random.pick(Object.keys(makes))];
  if (!make) throw new RangeError('no such request');
  return make({ random, source, secrets });
}
