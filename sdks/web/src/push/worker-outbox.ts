import { batchRequest, meaningOf, sealedBatch } from '@sluice/sdk-core';
import { fetchTransport } from '../page/fetch-transport.js';
import { changeIn, type Database, headsIn } from '../queue/database.js';
import { type Change, type Head, noted, type Stored, unbroken } from '../queue/stored.js';
import { sdk } from '../version.js';
import { type WorkerMemory } from './worker-memory.js';

// The queue of the pages, as a service worker uses it: each event is a sealed batch, tried once with each thing that
// happens. What it does not get rid of, the next page sends.

const stream = crypto.randomUUID();
let seq = 0;

/** Resolves when the event is stored. */
export async function addEvent(
  database: Database,
  { host, sourceIdentifier, deviceId: device, anonymousId, userId }: WorkerMemory,
  event: string,
  properties: object,
): Promise<void> {
  const created = Date.now();
  const context = { sdk: { ...sdk, device, stream, seq: seq++, lost: 0 } };
  const timestamp = new Date(created).toISOString();
  const texts = [JSON.stringify({ userId, anonymousId, event, properties, context, timestamp })];
  const key = crypto.randomUUID();
  const batch = sealedBatch({ key, host, sourceIdentifier, kind: 'track', created }, texts);
  await changeIn(database, [{ key, change: () => [{ batch, texts }] }]);
}

/** Tries the batches that may be sent. */
export async function sendBatches(database: Database, memory: WorkerMemory): Promise<void> {
  for (const head of await headsIn(database)) {
    const isOurs = head.host === memory.host && head.sourceIdentifier === memory.sourceIdentifier;
    if (isOurs && head.sealed && !head.isDivided && head.nextTry <= Date.now())
      await send(database, head, memory.apiKey);
  }
}

async function send(database: Database, { key }: Head, apiKey: string): Promise<void> {
  const change = async (make: (there: Stored) => Stored[]): Promise<Stored | undefined> => {
    const ours: Change = (there) => (there && !there.batch.isDivided ? make(there) : undefined);
    return (await changeIn(database, [{ key, change: ours }]))[0]?.[0];
  };
  const note = (doubts: number): Promise<Stored | undefined> =>
    change((there) => {
      const { tries, firstTry } = there.batch;
      const tried = { ...there.batch, tries: tries + 1, firstTry: firstTry || Date.now() };
      return [{ ...there, batch: noted(there.batch, tried, doubts) }];
    });
  const stored = await note(1);
  if (!stored) return;
  const { batch } = stored;
  const { answer } = fetchTransport.send(batchRequest(batch, apiKey, unbroken(stored.texts, batch.count), true));
  const is = meaningOf(await answer.catch(() => undefined));
  if (is === 'stored') await change(() => []);
  // A page does what any other answer asks for.
  else if (is !== 'unknown') await note(-1);
}
