import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify as createFastify } from 'fastify';
import { expect, it, vi } from 'vitest';
import { leanAdapter } from './lean-adapter.js';

/** A server, and the names of the hooks that are added to it. */
function aServer() {
  const fastify = createFastify();
  const addHook = vi.spyOn(fastify, 'addHook');
  return { fastify, hooks: () => addHook.mock.calls.map(([name]) => name) };
}

// Fails when Nest no longer adds its hooks in the constructor; if it adds none at all, lean-adapter.ts can be deleted.
it("keeps Nest's hooks off the server, and no other hooks", async () => {
  const plain = aServer();
  new FastifyAdapter(plain.fastify);
  expect(plain.hooks()).toEqual(expect.arrayContaining(['onRequest', 'onResponse']));

  const lean = aServer();
  leanAdapter(lean.fastify);
  expect(lean.hooks()).toEqual([]);
  lean.fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.header('x-mine', 'yes');
    done();
  });
  lean.fastify.get('/', () => 'answer');
  const { headers, body } = await lean.fastify.inject('/');
  expect([headers['x-mine'], body]).toEqual(['yes', 'answer']);
});
