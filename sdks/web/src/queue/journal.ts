import { type Head, noteTry, type Stored } from './stored.js';

const [heads, messages] = ['sluice.b.', 'sluice.m.'];
/** Prefix of the values that plugins store. */
const others = 'sluice.s.';
const mostMessages = 100;
const mebibyte = 1_048_576;
/** Room for the numbers of a head to grow: an update takes no more room than there is. */
const slack = 120;

/**
 * Batches in localStorage: one entry for each message, so that an event costs the same however long the queue is, and
 * one for the batch. Synchronous: what returned is kept if the tab is killed.
 */
export class Journal {
  /** Bytes of the messages, as far as they are known. */
  private used: number | undefined;

  constructor(private readonly storage: Storage) {}

  /** It holds as many bytes as a site can be asked for. */
  get isFull(): boolean {
    return (this.used ??= this.measure()) > mebibyte;
  }

  heads(): Head[] {
    return this.names(heads).flatMap((name) => this.head(name.slice(heads.length)) ?? []);
  }

  head(key: string): Head | undefined {
    try {
      return (JSON.parse(this.storage.getItem(heads + key) ?? 'null') as Head | null) ?? undefined;
    } catch {
      // Somebody else wrote it.
      return undefined;
    }
  }

  write(head: Head): void {
    const name = heads + head.key;
    const text = JSON.stringify(head);
    const length = this.storage.getItem(name)?.length ?? text.length + slack;
    this.storage.setItem(name, text.padEnd(length));
  }

  /** @throws when there is no room; then nothing of the message is stored */
  put(key: string, index: number, text: string): void {
    this.storage.setItem(`${messages}${key}.${index}`, text);
    if (this.used !== undefined) this.used += text.length;
  }

  load(key: string): Stored | undefined {
    const head = this.head(key);
    if (!head) return undefined;
    const texts: string[] = [];
    for (let at = 0; at < mostMessages; at++) {
      const text = this.storage.getItem(`${messages}${key}.${at}`);
      if (text !== null) texts[at] = text;
    }
    return { head, texts };
  }

  save({ head, texts }: Stored): void {
    for (const [at, text] of texts.entries()) if (text !== undefined) this.put(head.key, at, text);
    this.write(head);
  }

  note(batch: Head, doubts: number): number | undefined {
    const head = this.head(batch.key);
    if (!head) return undefined;
    const sum = noteTry(head, batch, doubts);
    this.write(head);
    return sum;
  }

  dropMessage(key: string, index: number): void {
    const name = `${messages}${key}.${index}`;
    if (this.used !== undefined) this.used -= this.storage.getItem(name)?.length ?? 0;
    this.storage.removeItem(name);
  }

  drop({ head, texts }: Stored): void {
    this.storage.removeItem(heads + head.key);
    for (const at of texts.keys()) this.dropMessage(head.key, at);
  }

  clear(): void {
    for (const name of [heads, messages, others].flatMap((prefix) => this.names(prefix))) this.storage.removeItem(name);
    this.used = 0;
  }

  private measure(): number {
    return this.names(messages).reduce((sum, name) => sum + (this.storage.getItem(name)?.length ?? 0), 0);
  }

  private names(prefix: string): string[] {
    return Object.keys(this.storage).filter((name) => name.startsWith(prefix));
  }
}
