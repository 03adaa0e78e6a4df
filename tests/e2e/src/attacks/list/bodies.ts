import { gzipSync } from 'node:zlib';
import { type Attack, besiege, drip, inSingleBytes, json, keyed, requestLine, pour, buildRequest } from '../attack.js';

const chunked = { 'transfer-encoding': 'chunked' };

/** Bodies that cost more than their size suggests, and bodies that no route reads. */
export const bodies: Attack[] = [
  {
    name: 'ad requests in chunks of one byte',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 60 }, (socket) => {
        socket.write(buildRequest('POST /api/rtb/ad', { ...json, ...chunked }, '', null));
        pour(socket, inSingleBytes('x'.repeat(8_192)));
      }),
  },
  {
    name: 'batches in chunks of one byte',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 30 }, (socket) => {
        socket.write(buildRequest(requestLine(target, 'trackBatch'), { ...keyed(target), ...chunked }, '', null));
        pour(socket, inSingleBytes('x'.repeat(8_192)));
      }),
  },
  {
    name: 'chunks with long extensions',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 60 }, (socket) => {
        socket.write(buildRequest(requestLine(target, 'trackBatch'), { ...keyed(target), ...chunked }, '', null));
        pour(socket, Buffer.from(`1;${'x'.repeat(8_000)}\r\nx\r\n`));
      }),
  },
  {
    name: 'endless trailers',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 60 }, (socket) => {
        const body = Buffer.from('2\r\n{}\r\n0\r\n');
        socket.write(buildRequest(requestLine(target, 'track'), { ...keyed(target), ...chunked }, body, null));
        pour(socket, Buffer.from('a: b\r\n'.repeat(1_000)));
      }),
  },
  {
    name: 'requested bodies (100-continue) that never come',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 2_000 }, (socket) => {
        const expecting = { ...keyed(target), expect: '100-continue', 'content-length': '800000' };
        socket.write(buildRequest(requestLine(target, 'trackBatch'), expecting));
        socket.resume();
      }),
  },
  {
    name: 'preflights with bodies that never end',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 900 }, (socket) => {
        socket.write(
          buildRequest('OPTIONS /api/x', { ...json, 'content-length': '1000000' }, Buffer.alloc(500_000), null),
        );
        socket.resume();
      }),
  },
  {
    name: 'endless bodies for paths and methods that do not exist',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 100 }, (socket, index) => {
        const line = ['POST /nothing', 'PUT /api/rtb/ad', 'GET /health/ready', 'DELETE /docs'][index % 4] ?? '';
        socket.write(buildRequest(line, { ...json, ...chunked }, '', null));
        socket.resume();
        pour(socket, Buffer.from(`8000\r\n${'x'.repeat(0x8000)}\r\n`));
      }),
  },
  {
    name: 'small bodies with a key at one byte per second',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 4_500 }, (socket) => {
        socket.write(buildRequest(requestLine(target, 'track'), keyed(target), '{"userId"', 8_000));
        socket.resume();
        drip(socket, Buffer.alloc(100, ' '), 1_000);
      }),
  },
  {
    name: 'batches with a key whose last byte never comes',
    // The gateway reads over 100 MB/s until the memory for bodies is used up; a turn's limit does not cover reading.
    maxMs: 1_000,
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 150 }, (socket) => {
        socket.write(
          buildRequest(requestLine(target, 'trackBatch'), keyed(target), Buffer.alloc(800_000, ' '), 800_001),
        );
        socket.resume();
      }),
  },
  {
    name: 'gzip bombs with and without a key',
    run: (target, seconds) => {
      const bomb = gzipSync(Buffer.alloc(60_000_000, ' '));
      const encoding = { 'content-encoding': 'gzip' };
      return besiege(target, { seconds, connections: 32 }, (socket, index) => {
        const line = index % 2 === 0 ? requestLine(target, 'trackBatch') : 'POST /api/rtb/ad';
        socket.write(buildRequest(line, { ...keyed(target), ...encoding }, bomb));
        socket.resume();
      });
    },
  },
];
