/** localStorage in memory; while it is full, writes that take more room fail. */
export class FakeStorage implements Storage {
  [name: string]: unknown;

  isFull(): boolean {
    return false;
  }

  get length(): number {
    return Object.keys(this).length;
  }

  key(at: number): string | null {
    return Object.keys(this)[at] ?? null;
  }

  getItem(name: string): string | null {
    return (this[name] as string | undefined) ?? null;
  }

  setItem(name: string, value: string): void {
    if (this.isFull() && value.length > (this.getItem(name)?.length ?? -1))
      throw new DOMException('', 'QuotaExceededError');
    this[name] = value;
  }

  removeItem(name: string): void {
    Reflect.deleteProperty(this, name);
  }

  clear(): void {
    for (const name of Object.keys(this)) this.removeItem(name);
  }
}

/** @param isFull asked at each write */
export function fakeStorage(isFull: () => boolean = () => false): FakeStorage {
  const storage = new FakeStorage();
  Object.defineProperty(storage, 'isFull', { value: isFull });
  return storage;
}
