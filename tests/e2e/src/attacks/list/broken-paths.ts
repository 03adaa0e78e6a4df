import { type Attack, besiege, inSingleBytes, json, pour, buildRequest } from '../attack.js';
import { flood } from './floods.js';

const chunked = { 'transfer-encoding': 'chunked' };
/** Paths that the router cannot decode; they reach no route. */
const paths = ['/%', '/api/%zz', '/api/tracker/sdk/%ff/track', '/docs/%c0%af', '/sdk/%e0%80', '/health/%'];
const pathAt = (index: number): string => paths[index % paths.length] ?? '/%';

/** Requests whose path cannot be decoded. */
export const brokenPaths: Attack[] = [
  {
    name: 'endless bodies in chunks of one byte for broken paths',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 20 }, (socket, index) => {
        socket.resume().write(buildRequest(`POST ${pathAt(index)}`, { ...json, ...chunked }, '', null));
        pour(socket, inSingleBytes('x'.repeat(8_192)));
      }),
  },
  {
    name: 'endless long bodies for broken paths',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 20 }, (socket, index) => {
        const framing = index % 2 === 0 ? chunked : { 'content-length': '4000000000' };
        socket.resume().write(buildRequest(`POST ${pathAt(index)}`, { ...json, ...framing }, '', null));
        pour(socket, Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`));
      }),
  },
  flood('broken paths', 64, (_, index) => buildRequest(`GET ${pathAt(index)}`)),
  flood('requests without a host', 64, () => Buffer.from('GET /health/ready HTTP/1.1\r\n\r\n')),
];
