import { setTimeout } from 'node:timers/promises';
import { createCore, type HttpAnswer } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { pageClock } from '../page/page-clock.js';
import { uuid } from '../page/uuid.js';
import { createDatabase } from './database.js';
import { fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { WebQueue } from './web-queue.js';

globalThis.IDBKeyRange = IDBKeyRange;

const taken: HttpAnswer = { status: 200, body: '{"status":"QUEUED"}', header: () => null };

/** A page with the stores of a browser, and the events that it has sent. */
function aPage(factory: IDBFactory, storage: Storage, isSender: boolean) {
  const sent: string[] = [];
  const page = {
    owner: uuid(),
    isLeaving: () => false,
    isSender: () => isSender,
    isOwned: () => () => false,
    wake: () => undefined,
  };
  const credentials = { apiKey: 'key', sourceIdentifier: 'Source000001' };
  const options = { credentials, host: 'https://sluice.test', flushInterval: 50 };
  const client = createCore(options, {
    ...{ sdk: { name: 'sluice-test', version: '1.2.3' }, clock: pageClock, random: { fraction: () => 0, uuid } },
    queue: new WebQueue(
      new Journal(storage),
      createDatabase(() => factory),
      page,
    ),
    transport: {
      send: ({ body = '' }) => {
        const { list } = JSON.parse(body) as { list: { event: string }[] };
        sent.push(...list.map(({ event }) => event));
        return { answer: Promise.resolve(taken), abort: () => undefined };
      },
    },
    lifecycle: { subscribe: () => () => undefined, isSender: () => isSender },
  });
  return { client, sent };
}

it('what is made while consent is pending again reaches the page that sends', async () => {
  const [factory, storage] = [new IDBFactory(), fakeStorage()];
  const { client } = aPage(factory, storage, false);
  for (const event of ['a', 'b']) client.track(event);
  client.consent('pending');
  for (const event of ['c', 'd']) client.track(event);
  client.consent('granted');
  client.track('e');
  await setTimeout(300);
  const next = aPage(factory, storage, true);
  await next.client.flush();
  await setTimeout(300);
  await next.client.flush();
  expect([...next.sent].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
});
