import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Numbers of messages in the folder of refused messages. */
export interface Refused {
  readonly refused: number;
  readonly damaged: number;
}

const chunkBytes = 1024 * 1024;
const lineEnd = 0x0a;
/** Name of a file with a refused message per line. */
const refusedPattern = /^refused-.+\.ndjson$/;
/** Name of a file of damage, with the number of missing messages. */
const damagePattern = /^damaged-(\d+)-.+\.bin$/;

/** Counts the lines of the refused files of all processes. Each line is read once: reading continues where it ended. */
export class RefusedFileCount {
  private known = new Map<string, { readonly bytes: number; readonly lines: number }>();

  constructor(private readonly folder: string) {}

  /** Counts the present files; removed files no longer count. @throws when the folder or a file cannot be read. */
  look(): Refused {
    const names = namesIn(this.folder);
    const before = this.known;
    this.known = new Map(
      names.filter((name) => refusedPattern.test(name)).map((name) => [name, this.read(name, before.get(name))]),
    );
    const refused = [...this.known.values()].reduce((sum, { lines }) => sum + lines, 0);
    const damaged = names.reduce((sum, name) => sum + Number(damagePattern.exec(name)?.[1] ?? 0), 0);
    return { refused, damaged };
  }

  private read(name: string, previous = { bytes: 0, lines: 0 }): { bytes: number; lines: number } {
    const path = join(this.folder, name);
    const { size } = statSync(path);
    if (size === previous.bytes) return previous;
    let { bytes, lines } = size > previous.bytes ? previous : { bytes: 0, lines: 0 };
    const file = openSync(path, 'r');
    try {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      for (let read = -1; read !== 0; bytes += read) {
        read = readSync(file, chunk, 0, chunkBytes, bytes);
        for (let index = chunk.indexOf(lineEnd); index >= 0 && index < read; index = chunk.indexOf(lineEnd, index + 1))
          lines += 1;
      }
    } finally {
      closeSync(file);
    }
    return { bytes, lines };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
