import { type Holder } from './holder.js';

/** Bytes on the disk by holder. */
export class Holdings {
  private readonly bytes = new Map<Holder, number>();

  /** @param onChange called with each change of a holder's bytes */
  constructor(private readonly onChange: (holder: Holder, bytes: number) => void = () => undefined) {}

  heldBy(holder: Holder): number {
    return this.bytes.get(holder) ?? 0;
  }

  /** Adds bytes, or takes them back with a negative number; nobody holds less than nothing. */
  add(holder: Holder, bytes: number): void {
    const before = this.heldBy(holder);
    const after = Math.max(0, before + bytes);
    if (after > 0) this.bytes.set(holder, after);
    else this.bytes.delete(holder);
    if (after !== before) this.onChange(holder, after - before);
  }

  addAll(changes: Iterable<readonly [Holder, number]>): void {
    for (const [holder, bytes] of changes) this.add(holder, bytes);
  }

  clear(): void {
    for (const [holder, bytes] of this.bytes) this.onChange(holder, -bytes);
    this.bytes.clear();
  }
}
