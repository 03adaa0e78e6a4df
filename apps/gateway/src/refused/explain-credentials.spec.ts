import { createApiKey, hashApiKey, keyRecord, sourceRecord, SourceRegistry } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { explainCredentials } from './explain-credentials.js';

const [shop, app, closed] = ['AbCdEf000001', 'AbCdEf000002', 'AbCdEf000003'] as const;
const createdAt = '2026-01-01T00:00:00.000Z';
const revokedAt = '2026-02-01T00:00:00.000Z';
const keys = { shop: createApiKey(), revoked: createApiKey(), app: createApiKey(), revokedOfApp: createApiKey() };

const registry = new SourceRegistry();
for (const sourceIdentifier of [shop, app, closed]) {
  const status = sourceIdentifier === closed ? 'disabled' : 'enabled';
  const { key, value } = sourceRecord({ sourceIdentifier, name: 'Shop', type: 'tracking-api', status, createdAt });
  registry.apply(key, value);
}
for (const [sourceIdentifier, keyId, apiKey, change] of [
  [shop, '00000001', keys.shop, {}],
  [shop, '00000002', keys.revoked, { revokedAt }],
  [app, '00000003', keys.app, {}],
  [app, '00000004', keys.revokedOfApp, { revokedAt }],
] as const) {
  const hash = hashApiKey(apiKey).toString('hex');
  const { key, value } = keyRecord({ sourceIdentifier, keyId, hash, createdAt, ...change });
  registry.apply(key, value);
}

interface Sent {
  authorization?: string;
  sourceIdentifier?: string;
  writeKey?: string;
  isSegment?: boolean;
}

function explain(reason: string, { authorization, sourceIdentifier, writeKey, isSegment = false }: Sent) {
  const request = {
    headers: { ...(authorization !== undefined && { authorization }) },
    params: {
      ...(sourceIdentifier !== undefined && { sourceIdentifier }),
      ...(writeKey !== undefined && { writeKey }),
    },
    routeOptions: { url: '/x', config: { rules: { credentials: true, isSegment } } },
  };
  return explainCredentials(request as unknown as FastifyRequest, registry, reason);
}

const unauthorized = 'error.sdk.authorization.failed';
const notFound = 'error.sdk.source.notFound';
const basic = (user: string): string => `Basic ${Buffer.from(`${user}:`).toString('base64')}`;

it.each<[Sent, string]>([
  [{ sourceIdentifier: shop }, 'no Authorization header was sent'],
  [{ sourceIdentifier: shop, authorization: keys.shop }, 'the Authorization header is not "Bearer <apiKey>"'],
  [{ sourceIdentifier: shop, authorization: `Bearer ${createApiKey()}` }, 'the key is not one of any source'],
  [{ sourceIdentifier: shop, authorization: `Bearer ${keys.revoked}` }, `the key is revoked since ${revokedAt}`],
  [{ sourceIdentifier: shop, authorization: `Bearer ${keys.app}` }, `the key is one of the source ${app}`],
  [
    { sourceIdentifier: shop, authorization: `Bearer ${keys.revokedOfApp}` },
    `the key is one of the source ${app}, and revoked`,
  ],
  [{ isSegment: true }, 'it has no write key: <sourceIdentifier>_<apiKey>'],
  [{ isSegment: true, authorization: basic(`${shop}_${keys.app}`) }, `the key is one of the source ${app}`],
  [{ isSegment: true, writeKey: `${shop}_${keys.revoked}` }, `the key is revoked since ${revokedAt}`],
])('credentials %j are explained', (sent, cause) => {
  expect(explain(unauthorized, sent)).toBe(cause);
  for (const apiKey of Object.values(keys)) expect(cause).not.toContain(apiKey);
});

it.each([
  [closed, 'the source is disabled'],
  ['ZZZZZZ000001', 'no source has the identifier in the path'],
  ['my-shop', 'the path has no sourceIdentifier: 12 letters and digits'],
])('the source %s that was not found is explained', (sourceIdentifier, cause) =>
  expect(explain(notFound, { sourceIdentifier })).toBe(cause),
);

it('explains nothing else', () => {
  expect(explain(notFound, {})).toBeUndefined();
  expect(explain('error.request.invalid', { sourceIdentifier: shop })).toBeUndefined();
});
