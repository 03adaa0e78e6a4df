import { nextRequestNumber, type UsedNames } from './used-names.js';

const minSlots = 64;
/** Marks a slot without a path. A path with this hash is kept under `insteadOfEmpty`. */
const empty = 0;
const insteadOfEmpty = 1;

/** Hashes of paths, each with the day of its last use. Four entries take 40 bytes at most. */
export class NameTable {
  private hashes = new Int32Array(minSlots);
  private days = new Uint16Array(minSlots);
  size = 0;
  /** Number of the day; hashes that are looked up are used on it. */
  day = 0;

  /** Whether the path is known; it is then used today. */
  has(hash: number): boolean {
    const slot = this.findSlot(hash);
    if (this.hashes[slot] === empty) return false;
    if (this.days[slot] !== this.day) this.days[slot] = this.day;
    return true;
  }

  /** Whether the path is known, without a use of it. */
  knows(hash: number): boolean {
    return this.hashes[this.findSlot(hash)] !== empty;
  }

  /** Remembers a path that is not known. */
  add(hash: number): void {
    if (2 * (this.size + 1) > this.hashes.length) this.rebuild(2 * this.hashes.length, () => true);
    this.put(hash, this.day);
  }

  /** Forgets the paths that were used last before a day. */
  forgetBefore(day: number): void {
    this.rebuild(minSlots, (lastDay) => lastDay >= day);
  }

  private put(hash: number, day: number): void {
    const slot = this.findSlot(hash);
    this.hashes[slot] = hash === empty ? insteadOfEmpty : hash;
    this.days[slot] = day;
    this.size += 1;
  }

  /** The slot of the path, or the empty one in which it would be. */
  private findSlot(hash: number): number {
    const storedHash = hash === empty ? insteadOfEmpty : hash;
    const mask = this.hashes.length - 1;
    let slot = storedHash & mask;
    for (
      let hashInSlot = this.hashes[slot];
      hashInSlot !== storedHash && hashInSlot !== empty;
      hashInSlot = this.hashes[slot]
    )
      slot = (slot + 1) & mask;
    return slot;
  }

  private rebuild(slots: number, isKept: (day: number) => boolean): void {
    const { hashes, days } = this;
    const isToKeep = (slot: number): boolean => hashes[slot] !== empty && isKept(days[slot] ?? 0);
    let count = 0;
    for (let slot = 0; slot < hashes.length; slot++) if (isToKeep(slot)) count += 1;
    while (slots < 2 * (count + 1)) slots *= 2;
    this.hashes = new Int32Array(slots);
    this.days = new Uint16Array(slots);
    this.size = 0;
    for (let slot = 0; slot < hashes.length; slot++) if (isToKeep(slot)) this.put(hashes[slot] ?? 0, days[slot] ?? 0);
  }
}

/** A number of names that only this process uses, such as those of one run of a command. */
export function createRunNames(bound: number): UsedNames {
  const table = new NameTable();
  const admit = (path: number): boolean => {
    if (table.has(path)) return true;
    if (table.size >= bound) return false;
    table.add(path);
    return true;
  };
  return { request: nextRequestNumber(), has: (path) => table.has(path), admit };
}
