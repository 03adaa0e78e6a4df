import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders directly below a project's `src`, called rooms, and which of them import which, types included. */
export class Rooms {
  private readonly imports = new Map<string, Set<string>>();

  /** @param folder absolute path of a project's `src`; specs do not count. */
  constructor(folder: string) {
    const files = globSync('*/**/*.{ts,tsx}', { cwd: folder }).filter((file) => !/\.spec[.-]/.test(file));
    for (const file of files) {
      const [room = ''] = file.split('/');
      for (const other of roomsOf(file, readFileSync(join(folder, file), 'utf8'))) this.importedBy(room).add(other);
    }
  }

  get names(): string[] {
    return [...this.imports.keys()];
  }

  /** The rooms that a room imports itself. */
  importedBy(room: string): Set<string> {
    const others = this.imports.get(room) ?? new Set();
    this.imports.set(room, others);
    return others;
  }

  /** The rooms that a room imports, and those that these import. */
  reachedFrom(room: string, seen = new Set<string>()): Set<string> {
    for (const other of this.importedBy(room)) {
      if (seen.has(other)) continue;
      seen.add(other);
      this.reachedFrom(other, seen);
    }
    return seen;
  }
}

/** The rooms of the files that `text`, the source of `file`, imports from outside of its own room. */
function roomsOf(file: string, text: string): string[] {
  const depth = file.split('/').length - 1;
  const outside = new RegExp(`(?:from|import\\(|import) ?'${'\\.\\./'.repeat(depth)}([\\w-]+)/`, 'g');
  return [...text.matchAll(outside)].map(([, room = '']) => room);
}
