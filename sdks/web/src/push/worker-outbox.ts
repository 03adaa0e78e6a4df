import { sendRequest, batchRequest, type BatchKind, classifyAnswer, sealedBatch } from '@sluice/sdk-core';
import { fetchTransport } from '../page/fetch-transport.js';
import { messageRange, awaitRequest, type Run } from '../queue/tables.js';
import { type Head } from '../queue/stored.js';
import { sdk } from '../version.js';
import { type WorkerMemory } from './worker-memory.js';

// The queue of the pages, as a service worker uses it: each event is a sealed batch, tried once whenever the worker
// reports something. The next page sends the batches that are left.

const stream = crypto.randomUUID();
let seq = 0;

/** Resolves when the event is stored. */
export async function addEvent(
  run: Run,
  { host, sourceIdentifier, deviceId: device, anonymousId, userId }: WorkerMemory,
  event: string,
  properties: object,
  kind: BatchKind = 'track',
): Promise<void> {
  const created = Date.now();
  const key = crypto.randomUUID();
  const text = JSON.stringify({
    userId,
    anonymousId,
    event,
    properties,
    context: { sdk: { ...sdk, device, stream, seq: seq++, lost: 0 } },
    timestamp: new Date(created).toISOString(),
  });
  await run((table) => {
    table('heads').put(sealedBatch({ key, host, sourceIdentifier, kind, created }, [text]), key);
    return awaitRequest(table('messages').put([0, text], [key, 0]));
  });
}

/** Tries the batches that may be sent. */
export async function sendBatches(run: Run, { host, sourceIdentifier, apiKey }: WorkerMemory): Promise<void> {
  for (const head of await run((table) => awaitRequest(table('heads').getAll()))) {
    const isOurs = head.host === host && head.sourceIdentifier === sourceIdentifier;
    if (isOurs && head.sealed && head.nextTry <= Date.now()) await send(run, head, apiKey);
  }
}

async function send(run: Run, { key }: Head, apiKey: string): Promise<void> {
  /** Adds to the doubts. Resolves with the batch and its messages; undefined if only a page can handle it. */
  const recordTry = (doubts: number) =>
    run(async (table) => {
      const head = await awaitRequest(table('heads').get(key));
      const messages = await awaitRequest(table('messages').getAll(messageRange(key)));
      // A page has divided the batch, has messages of it elsewhere, or has appended messages after it was sealed.
      if (head?.count !== messages.length || head.isDivided) return undefined;
      const batch = { ...head, tries: head.tries + 1, doubts: head.doubts + doubts };
      table('heads').put(batch, key);
      return { batch, texts: messages.map(([, text]) => text) };
    });
  const stored = await recordTry(1);
  if (!stored) return;
  const request = batchRequest(stored.batch, apiKey, stored.texts, true, Date.now());
  const meaning = classifyAnswer(await sendRequest(fetchTransport, request));
  // The doubt has kept pages from dividing it.
  if (meaning === 'stored') {
    await run((table) => {
      table('heads').delete(key);
      return awaitRequest(table('messages').delete(messageRange(key)));
    });
  }
  // A page acts on any other answer.
  else if (meaning !== 'unknown') await recordTry(-1);
}
