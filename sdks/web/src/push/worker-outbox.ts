import { bodyOf, measure, newBatch, type Transport, verdictOf } from '@sluice/sdk-core';
import { type Database, resultOf } from '../queue/database.js';
import { type Head, unbroken } from '../queue/stored.js';
import { uuid } from '../page/uuid.js';
import { sdk } from '../version.js';
import { type WorkerMemory } from './worker-memory.js';

const stream = uuid();
let seq = 0;

/**
 * The queue of the pages, as a service worker uses it: each event is a sealed batch, tried once with each thing that
 * happens. What it does not get rid of, the next page sends.
 */
export class WorkerOutbox {
  constructor(
    private readonly database: Database,
    private readonly transport: Transport,
    private readonly memory: WorkerMemory,
  ) {}

  /** Resolves when it is stored. */
  async add(event: string, properties: object): Promise<void> {
    const { host, sourceIdentifier, deviceId: device, anonymousId, userId } = this.memory;
    const created = Date.now();
    const stamp = { ...sdk, device, stream, seq: seq++, lost: 0 };
    const timestamp = new Date(created).toISOString();
    const text = JSON.stringify({ userId, anonymousId, event, properties, context: { sdk: stamp }, timestamp });
    const batch = { ...newBatch({ key: uuid(), host, sourceIdentifier, kind: 'track', created }), sealed: true };
    measure(batch, [text]);
    await this.database.run(async ({ heads, texts }) => {
      heads.put(batch, batch.key);
      await resultOf(texts.put([text], batch.key));
    });
  }

  /** Tries what may be sent. */
  async send(): Promise<void> {
    const heads = await this.database.run((tables) => resultOf(tables.heads.getAll()));
    for (const head of heads) {
      const isOurs = head.host === this.memory.host && head.sourceIdentifier === this.memory.sourceIdentifier;
      if (isOurs && head.sealed && !head.isDivided && head.nextTry <= Date.now()) await this.try(head);
    }
  }

  private async try({ key, host, sourceIdentifier, kind }: Head): Promise<void> {
    const list = await this.note(key, 1);
    if (!list) return;
    const { answer } = this.transport.send({
      method: 'POST',
      url: `${host}/api/tracker/sdk/${sourceIdentifier}/${kind}Batch`,
      headers: {
        Authorization: `Bearer ${this.memory.apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        Prefer: 'handling=lenient',
      },
      body: bodyOf(list),
      keepalive: true,
    });
    const verdict = verdictOf(await answer.catch(() => undefined));
    // Whatever else it says, a page does what it asks for.
    if (verdict.is !== 'later') await this.note(key, -1, verdict.is === 'stored');
  }

  /** Adds to the doubts; the messages of the batch, undefined when it is gone. */
  private note(key: string, doubts: number, isDone = false): Promise<string[] | undefined> {
    return this.database.run(async ({ heads, texts }) => {
      const head = await resultOf(heads.get(key));
      if (!head || head.isDivided) return undefined;
      if (isDone) {
        heads.delete(key);
        texts.delete(key);
        return undefined;
      }
      head.doubts += doubts;
      head.tries += doubts > 0 ? 1 : 0;
      head.firstTry ||= Date.now();
      heads.put(head, key);
      const list = await resultOf(texts.get(key));
      return list && unbroken(list, head.count);
    });
  }
}
