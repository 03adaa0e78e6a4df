import { type EntityType } from './options.js';

/** A state or deletion of an entity that waits to be sent. */
export interface QueuedEntity {
  readonly type: EntityType;
  readonly action: 'Batch' | 'Delete';
  readonly id: string;
  /** The entity as JSON. */
  readonly text: string;
}

/** Bounds of a batch: what the service takes, and half of its bytes. */
const maxEntities = 100;
const maxBytes = 400_000;

/** The entities of a type in the order of their calls, and the ids of those that are being sent. */
export class EntityQueue {
  private readonly waiting: QueuedEntity[] = [];
  private readonly idsUnderWay = new Set<string>();

  get length(): number {
    return this.waiting.length;
  }

  add(entity: QueuedEntity): void {
    this.waiting.push(entity);
  }

  /**
   * Takes the first entities that can be sent together: of one action, and none that is being sent already. Undefined if
   * there are none, or if they do not fill a batch and `isDue` is false.
   */
  take(isDue: boolean): QueuedEntity[] | undefined {
    const [first] = this.waiting;
    let [count, bytes, isFull] = [0, 0, false];
    for (const { action, id, text } of this.waiting) {
      bytes += Buffer.byteLength(text) + 1;
      isFull = count === maxEntities || (count > 0 && bytes > maxBytes) || action !== first?.action;
      if (isFull || this.idsUnderWay.has(id)) break;
      count++;
    }
    if (count === 0 || !(isFull || isDue || count === maxEntities)) return undefined;
    const batch = this.waiting.splice(0, count);
    for (const { id } of batch) this.idsUnderWay.add(id);
    return batch;
  }

  /** The batch is done: later states of its entities can be sent. */
  settle(batch: readonly QueuedEntity[]): void {
    for (const { id } of batch) this.idsUnderWay.delete(id);
  }
}
