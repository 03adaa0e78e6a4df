import {
  Category,
  GeneralEntity,
  IdentifyMessage,
  Product,
  ProductVariant,
  Seller,
  TrackMessage,
} from '@sluice/contracts';
import { boundProblems, MessageReader, type MessageType, Report, keepStorable } from '@sluice/messages';
import { PushTokens } from '@sluice/push-tokens';
import { acceptsOrigin } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { expect, it, vi } from 'vitest';
import { exactDecimals } from './catalog/decimals.js';
import { assertReadable } from './http/reading/body.js';
import { Routes } from './http/routes.js';
import { JsonBody } from './intake/json-body.js';
import { isLenient } from './intake/prefer.js';
import { clickTarget } from './push/callback.js';
import { type SourceRules } from './request/accepts.js';

vi.setConfig({ testTimeout: 60_000 });

/** Ten sizes, each twice the previous one. */
const sizesUpTo = (largest: number): number[] =>
  Array.from({ length: 10 }, (_, i) => Math.round(largest / 2 ** (9 - i)));
const headerBytes = 16_384;
const bodyBytes = 524_288;

/** Texts that take quadratic time in a careless pattern or loop. */
const hostile: readonly ((size: number) => string)[] = [
  (size) => 'a'.repeat(size),
  (size) => `${' '.repeat(size)}x y`,
  (size) => 'a.'.repeat(size / 2),
  (size) => 'a@'.repeat(size / 2),
  (size) => `a@${'a.a-'.repeat(size / 4)}`,
  (size) => `http://${'a/?#'.repeat(size / 4)} `,
  (size) => '2024-01-01T00:00:00.'.padEnd(size, '0'),
  (size) => '🌹'.repeat(size / 2),
  (size) => '\ud800'.repeat(size),
  (size) => ',;="'.repeat(size / 4),
  (size) => '%F0%9F'.repeat(size / 6),
  (size) => '1'.repeat(size),
];

/** CPU time of this process, which other processes on the machine do not increase. */
function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Smallest of several times: garbage collection only adds to a time. */
function minMs(act: () => void): number {
  let min = Infinity;
  for (let i = 0; i < 5; i++) {
    const startedAt = busyMs();
    act();
    min = Math.min(min, busyMs() - startedAt);
  }
  return min;
}

/**
 * Expects about eight times the time for eight times the size, or negligible time; quadratic growth would be 64 times.
 */
function expectLinear(largest: number, prepare: (size: number) => () => void): void {
  const growth = (): number => {
    const times = sizesUpTo(largest).map((size) => minMs(prepare(size)));
    const whole = times.at(-1) ?? 0;
    return whole < 10 ? 0 : whole / (times.at(-4) ?? 0);
  };
  // Repeated before it fails: a busy machine can distort one measurement.
  const first = growth();
  expect(first < 32 ? first : growth()).toBeLessThan(32);
}

const refused = (act: () => unknown): void => {
  try {
    act();
  } catch {
    // A refusal counts as a result, because only its time matters.
  }
};
const requestWith = (headers: Record<string, string>) => ({ headers, raw: { headers } }) as unknown as FastifyRequest;
const rules: SourceRules = {
  ...{ credentials: true, bodyLimit: 1_000, message: TrackMessage, batch: false, serversOnly: false },
  quotas: ['events'],
};

it.each(hostile.map((make, index) => [index, make] as const))('reads header text %d in linear time', (_, make) => {
  const routes = new Routes();
  routes.add({ path: '/api/tracker/sdk/:sourceIdentifier/track', method: 'POST', rules: undefined });
  const tokens = new PushTokens({ PUSH_TOKEN_KEYS: new Map(), PUSH_TOKEN_ACTIVE_KEY: '' });
  expectLinear(headerBytes, (size) => {
    const text = make(size);
    return () => {
      isLenient(`handling=${text}`);
      isLenient(text);
      refused(() =>
        assertReadable(requestWith({ 'content-length': '1', 'content-type': `application/json${text}` }), rules),
      );
      refused(() =>
        assertReadable(requestWith({ 'content-length': '1', 'content-type': `application/json;${text}` }), rules),
      );
      routes.find('POST', `/api/tracker/sdk/${text}`);
      tokens.open(text);
      acceptsOrigin({ origins: ['https://*.shop.example'] }, `https://${text}.shop.example`);
      clickTarget({ url: text, button: text }, new Report());
    };
  });
});

const types: readonly MessageType[] = [
  TrackMessage,
  IdentifyMessage,
  Seller,
  Product,
  ProductVariant,
  Category,
  GeneralEntity,
];

it.each(types.map((type) => [type.name, type] as const))('reads all fields of %s in linear time', (_, type) => {
  const reader = new MessageReader(type);
  const names = [
    'userId',
    'anonymousId',
    'event',
    'timestamp',
    'sellerId',
    'firstName',
    'email',
    'nationalId',
    'address',
  ]
    .concat([
      'phoneNumber',
      'createdAt',
      'productId',
      'name',
      'categoryId',
      'mainImage',
      'additionalMedia',
      'description',
    ])
    .concat(['url', 'image', 'variantId', 'price', 'parentCategoryId', 'id', 'type']);
  for (const make of hostile)
    expectLinear(bodyBytes / 8, (size) => {
      const text = make(size);
      const body = Object.fromEntries(names.map((name) => [name, text]));
      return () => {
        reader.read(body, '', new Report());
      };
    });
});

it.each([
  ['brackets', (size: number) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ['members', (size: number) => `{${Array.from({ length: size / 8 }, (_, i) => `"${i}":1`).join()}}`],
  ['one repeated name', (size: number) => `{${Array.from({ length: size / 8 }, () => '"a":1').join()}}`],
  ['a name of dots', (size: number) => `{"${'a.'.repeat(size / 2)}a":1}`],
  ['names with dots', (size: number) => `{${Array.from({ length: size / 16 }, (_, i) => `"a.b.c${i}":1`).join()}}`],
  [
    'nested names',
    (size: number) =>
      `{"${'n'.repeat(size / 2)}":[${Array(Math.floor(size / 16))
        .fill('1e999')
        .join()}]}`,
  ],
  ['digits', (size: number) => `{"price":${'1'.repeat(size)}}`],
  ['decimals', (size: number) => `{"price":0.${'1'.repeat(size)}}`],
  ['an exponent', (size: number) => `{"price":1e${'9'.repeat(size)}}`],
  ['escapes', (size: number) => `{"a":"${'\\u00e9'.repeat(size / 6)}"}`],
  ['backslashes', (size: number) => `{"a":"${'\\\\'.repeat(size / 2)}"}`],
])('reads a body of %s in linear time', (_, make) =>
  expectLinear(bodyBytes, (size) => {
    const bytes = Buffer.from(make(size));
    return () =>
      refused(() => {
        const body = new JsonBody(bytes);
        const report = new Report();
        for (const names of ['free', 'restricted'] as const)
          keepStorable(body.value as Record<string, unknown>, '', names, report, 0);
        boundProblems(report.dropped);
        boundProblems(report.problems);
        const { price } = body.value as { price?: number };
        exactDecimals({ price }, { text: bytes.toString(), path: '' }, report);
        body.assertDepth();
      });
  }),
);
