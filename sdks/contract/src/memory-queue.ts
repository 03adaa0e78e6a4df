import { type Batch, batchBody, deriveKey, type QueueStore } from '@sluice/sdk-core';

interface Stored {
  batch: Batch;
  texts: (string | undefined)[];
}

/** A store in memory that follows all rules of a store. Several clients can share it. */
export class MemoryQueue implements QueueStore {
  readonly batches = new Map<string, Stored>();
  /** Makes every call that needs room throw, like an exhausted quota. */
  isFull = false;

  list(): Batch[] {
    return [...this.batches.values()].map(({ batch, texts }) => {
      const countedTexts = batch.sealed ? texts.slice(0, batch.count) : texts;
      return {
        ...batch,
        count: countedTexts.length,
        bytes: Buffer.byteLength(batchBody(countedTexts.map((text) => text ?? ''))),
      };
    });
  }

  append(batch: Batch, index: number, text: string): boolean {
    this.assertRoom();
    const stored = this.batches.get(batch.key);
    if (index > 0) {
      if (!stored || stored.batch.sealed || stored.texts.length !== index) return false;
      stored.texts.push(text);
      return true;
    }
    if (stored) return false;
    this.batches.set(batch.key, { batch: { ...batch, sealed: false }, texts: [text] });
    return true;
  }

  seal({ key }: Batch): number | undefined {
    this.assertRoom();
    const stored = this.batches.get(key);
    if (!stored) return undefined;
    if (!stored.batch.sealed) stored.batch = { ...stored.batch, sealed: true, count: stored.texts.length };
    return stored.batch.count;
  }

  read(key: string): string[] | undefined {
    const stored = this.batches.get(key);
    return stored?.texts.slice(0, stored.batch.count).map((text) => text ?? '');
  }

  update(batch: Batch, doubts: number): number | undefined {
    const stored = this.batches.get(batch.key);
    if (!stored) return undefined;
    const { tries, tooLarge, firstTry, lastTry, nextTry } = batch;
    Object.assign(stored.batch, { tries, tooLarge, firstTry, lastTry, nextTry, doubts: stored.batch.doubts + doubts });
    return stored.batch.doubts;
  }

  replace(key: string, parts: readonly { batch: Batch; texts: string[] }[]): boolean {
    this.assertRoom();
    const whole = this.batches.get(key);
    if (!whole || whole.batch.doubts > 0) return false;
    this.batches.delete(key);
    for (const { batch, texts } of parts) this.batches.set(batch.key, { batch: { ...batch }, texts: [...texts] });
    return true;
  }

  remove(batch: Batch): void {
    const stored = this.batches.get(batch.key);
    if (!stored) return;
    this.batches.delete(batch.key);
    const later = stored.texts.slice(batch.count);
    const key = deriveKey(batch.key, batch.count);
    if (later.length > 0)
      this.batches.set(key, { batch: { ...stored.batch, key, sealed: false, tries: 0 }, texts: later });
  }

  clear(sourceIdentifier: string): number {
    let messages = 0;
    for (const [key, { batch, texts }] of this.batches) {
      if (batch.sourceIdentifier !== sourceIdentifier) continue;
      messages += texts.length;
      this.batches.delete(key);
    }
    return messages;
  }

  private assertRoom(): void {
    if (this.isFull) throw new Error('no room');
  }
}
