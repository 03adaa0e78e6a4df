import { expect, it } from 'vitest';
import { RegistrySink } from './registry-sink.js';

/** Names by key; a record whose value is `later version` cannot be read. */
class Names {
  names = new Map<string, string>();

  get isEmpty(): boolean {
    return this.names.size === 0;
  }

  apply(key: string, value: Buffer | null): void {
    const name = value?.toString();
    if (name === 'later version') throw new Error(name);
    if (name === undefined) this.names.delete(key);
    else this.names.set(key, name);
  }

  become({ names }: Names): void {
    this.names = names;
  }

  *records() {
    for (const [key, name] of this.names) yield { key, value: Buffer.from(name) };
  }
}

function createSink(...known: string[]) {
  const current = new Names();
  for (const key of known) current.names.set(key, 'known');
  const calls: string[] = [];
  const sink = new RegistrySink(current, new Names(), {
    onChange: (offset) => calls.push(`changed ${offset}`),
    onKept: (offset) => calls.push(`kept ${offset}`),
    onUnreadable: ({ key }) => calls.push(`unreadable ${key}`),
  });
  let offset = 0n;
  const take = (key: string, name: string | null) =>
    sink.take({ key, value: name === null ? null : Buffer.from(name) }, offset++);
  return { sink, take, keys: () => [...current.names.keys()], calls };
}

it('replaces what is known once the whole topic is read, and not before', () => {
  const { sink, take, keys, calls } = createSink('old');
  take('new', 'x');
  expect([keys(), calls]).toEqual([['old'], []]);
  sink.caughtUp(0n);
  expect([keys(), calls]).toEqual([['new'], ['changed 0']]);
  take('newer', 'x');
  expect([keys(), calls]).toEqual([
    ['new', 'newer'],
    ['changed 0', 'changed 1'],
  ]);
});

it('keeps what is known when the topic is empty, and adds new records', () => {
  const { sink, take, keys, calls } = createSink('old');
  sink.caughtUp(-1n);
  take('new', 'x');
  expect([keys(), calls]).toEqual([
    ['old', 'new'],
    ['kept -1', 'changed 0'],
  ]);
});

it('keeps what is known when no record can be read', () => {
  const { sink, take, keys, calls } = createSink('old');
  take('new', 'later version');
  sink.caughtUp(0n);
  expect([keys(), calls]).toEqual([['old'], ['unreadable new', 'kept 0']]);
});

it('skips a record that cannot be read, and keeps the older one of its key', () => {
  const { sink, take, keys, calls } = createSink();
  take('a', 'x');
  take('a', 'later version');
  sink.caughtUp(1n);
  expect([keys(), calls]).toEqual([['a'], ['unreadable a', 'changed 1']]);
});

it('is empty when the topic says so, or is empty and nothing was known', () => {
  const removed = createSink('old');
  removed.take('old', null);
  removed.sink.caughtUp(0n);
  expect([removed.keys(), removed.calls]).toEqual([[], ['changed 0']]);
  const fresh = createSink();
  fresh.sink.caughtUp(-1n);
  expect([fresh.keys(), fresh.calls]).toEqual([[], ['changed -1']]);
});
