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
      for (const importedRoom of findImportedRooms(file, readFileSync(join(folder, file), 'utf8')))
        this.importedBy(room).add(importedRoom);
    }
  }

  get names(): string[] {
    return [...this.imports.keys()];
  }

  /** The rooms that a room imports itself. */
  importedBy(room: string): Set<string> {
    const importedRooms = this.imports.get(room) ?? new Set();
    this.imports.set(room, importedRooms);
    return importedRooms;
  }

  /** The rooms that a room imports, and those that these import. */
  reachedFrom(room: string, reached = new Set<string>()): Set<string> {
    for (const importedRoom of this.importedBy(room)) {
      if (reached.has(importedRoom)) continue;
      reached.add(importedRoom);
      this.reachedFrom(importedRoom, reached);
    }
    return reached;
  }
}

/** The rooms of the files that `text`, the source of `file`, imports from outside of its own room. */
function findImportedRooms(file: string, text: string): string[] {
  const depth = file.split('/').length - 1;
  const outside = new RegExp(`(?:from|import\\(|import) ?'${'\\.\\./'.repeat(depth)}([\\w-]+)/`, 'g');
  return [...text.matchAll(outside)].map(([, room = '']) => room);
}
