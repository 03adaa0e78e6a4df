import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const sources = globSync('*/**/*.ts', { cwd: import.meta.dirname }).filter((file) => !/\.spec[.-]/.test(file));

/** The rooms (folders of this library) that the files of each room import. */
const imports = new Map<string, Set<string>>();
for (const file of sources) {
  const [room = ''] = file.split('/');
  const others = imports.get(room) ?? new Set();
  imports.set(room, others);
  for (const [, other = ''] of readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
    /from '\.\.\/([\w-]+)\//g,
  )) {
    others.add(other);
  }
}

/** The rooms that a room imports, and those that these import. */
function reached(room: string, seen = new Set<string>()): Set<string> {
  for (const other of imports.get(room) ?? []) {
    if (seen.has(other)) continue;
    seen.add(other);
    reached(other, seen);
  }
  return seen;
}

it('the block protocol imports no other room, so that it can be read alone', () =>
  expect([...(imports.get('protocol') ?? ['missing'])]).toEqual([]));

it.each([...imports.keys()])('%s imports no room that imports it', (room) => expect(reached(room)).not.toContain(room));
