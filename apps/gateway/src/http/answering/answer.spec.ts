import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { FixedHeaderAnswer } from './answer.js';
import { fixedHeaders } from './fixed-headers.js';

/** The bytes of an answer to a request, as a client receives them. */
async function rawAnswer(answer: (response: FixedHeaderAnswer) => void): Promise<string> {
  const server = createServer({ ServerResponse: FixedHeaderAnswer }, (_, response) => answer(response)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const received = await text(socket);
  server.close();
  return received;
}

const headOf = (raw: string): string[] => raw.slice(0, raw.indexOf('\r\n\r\n')).toLowerCase().split('\r\n');

// Fails when Node no longer keeps the head of an answer in `_header`, or changes its form.
it('sends each fixed header once, in a head that ends once, before the body', async () => {
  const raw = await rawAnswer((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('body');
  });
  const head = headOf(raw);
  for (const [name, value] of Object.entries(fixedHeaders)) {
    expect(head.filter((line) => line.startsWith(`${name.toLowerCase()}:`))).toEqual([
      `${name}: ${value}`.toLowerCase(),
    ]);
  }
  expect(head).toContain('content-type: text/plain');
  expect(raw.slice(raw.indexOf('\r\n\r\n') + 4)).toContain('body');
});

it('keeps a fixed header that the answer sets itself', async () => {
  const head = headOf(
    await rawAnswer((response) => {
      response.writeHead(200, { 'cache-control': 'max-age=60' });
      response.end();
    }),
  );
  expect(head.filter((line) => line.startsWith('cache-control:'))).toEqual(['cache-control: max-age=60']);
});
