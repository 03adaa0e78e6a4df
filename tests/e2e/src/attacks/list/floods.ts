import { gzipSync } from 'node:zlib';
import { again, type Attack, besiege, json, keyed, requestLine, buildRequest, type AttackTarget } from '../attack.js';

const filled = (bytes: number, item: (i: number) => string): string => {
  let text = '';
  for (let i = 0; text.length < bytes; i++) text += `${item(i)},`;
  return text.slice(0, -1);
};
const adRequest = `{${filled(60_000, (i) => `"p${i}":{"a":${i}}`)}}`;

export const flood = (
  name: string,
  connections: number,
  requestFor: (target: AttackTarget, index: number) => Buffer,
): Attack => ({
  name,
  run: (target, seconds) =>
    besiege(target, { seconds, connections, pauseMs: 0 }, (socket, index) => again(socket, requestFor(target, index))),
});

/** Floods of requests, each as expensive as possible. */
export const floods: Attack[] = [
  flood('ad requests of 60 KB', 64, () => buildRequest('POST /api/rtb/ad', json, adRequest)),
  flood('compressed ad requests', 300, () =>
    buildRequest('POST /api/rtb/ad', { ...json, 'content-encoding': 'gzip' }, gzipSync(`[${'['.repeat(60_000)}`)),
  ),
  flood('push callbacks with tokens that do not open', 300, () =>
    buildRequest(`GET /api/tracker/general/click?token=${'A'.repeat(4_000)}&url=${'%F0%9F%8C%B9'.repeat(500)}`),
  ),
  flood('ad requests without a type and without a body', 300, () => buildRequest('POST /api/rtb/ad')),
  flood('callbacks with a thousand parameters', 64, () =>
    buildRequest(`GET /api/tracker/general/open?${'a=%61&'.repeat(2_500)}`),
  ),
  flood('wrong keys', 256, ({ ordinary }) =>
    buildRequest(
      requestLine(ordinary, 'track'),
      { ...keyed(ordinary), authorization: 'Bearer x' },
      '{"userId":"u","event":"e"}',
    ),
  ),
  flood('unknown sources', 256, ({ ordinary }) =>
    buildRequest(requestLine({ sourceIdentifier: 'AAAAAAAAAAAA' }, 'track'), keyed(ordinary), '{}'),
  ),
  flood('sixteen kilobytes of short headers', 64, () =>
    buildRequest('GET /', Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`a${i}`, '']))),
  ),
  flood('Prefer headers full of spaces', 16, ({ ordinary }) =>
    buildRequest(
      requestLine(ordinary, 'trackBatch'),
      { ...keyed(ordinary), prefer: `handling=${' '.repeat(15_000)}x y` },
      '{"list":[{"userId":"u","event":5}]}',
    ),
  ),
  flood('health checks', 256, () => buildRequest('GET /health/ready')),
  flood('deeply nested brackets, compressed, with a key', 16, ({ ordinary }) =>
    buildRequest(
      requestLine(ordinary, 'trackBatch'),
      { ...keyed(ordinary), 'content-encoding': 'gzip' },
      gzipSync(`${'['.repeat(400_000)}${']'.repeat(400_000)}`),
    ),
  ),
  flood('batches with invalid names', 8, ({ ordinary }) =>
    buildRequest(
      requestLine(ordinary, 'trackBatch'),
      keyed(ordinary),
      `{"list":[{"userId":"u","event":"e","properties":{${filled(700_000, (i) => `" ${i}":1`)}}}]}`,
    ),
  ),
];
