import { createHash, hash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CompactedRecord } from './compacted-record.js';

const version = 1;
/** A draft this old belongs to a dead process: writing one takes less than a second. */
const staleDraftMs = 60_000;
/** Records encoded in one turn of the event loop: about a millisecond of work. */
const recordsPerTurn = 500;

/** The first line of the file; the records follow in the second. */
interface Header {
  /** `sluice-sources` for a snapshot named `sources`. */
  format: string;
  version: typeof version;
  /** SHA-256 of the second line, hex. */
  sha256: string;
}

/**
 * Records of a compacted topic as a file, to start from while Kafka is unreachable. Several processes can write the same
 * file: each write replaces all of it.
 */
export class RecordSnapshot {
  private readonly file: string;
  private readonly path: string;

  constructor(
    private readonly folder: string,
    readonly name: 'sources' | 'plans' | 'suppressions',
  ) {
    this.file = `${name}.snapshot`;
    this.path = join(folder, this.file);
  }

  /**
   * The records, or undefined when no snapshot was written yet.
   * @throws Error when the file is torn or is not a snapshot of this version.
   */
  async read(): Promise<CompactedRecord[] | undefined> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? undefined : parse(text, this.format);
  }

  /**
   * 1. Writes and syncs a draft, 2. renames it, 3. syncs the folder: after a crash at any time the file is whole.
   * @returns the number of records
   */
  async write(records: Iterable<CompactedRecord>): Promise<number> {
    const { text, count } = await encodeSnapshot(records, this.format);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${randomUUID()}.tmp`;
    try {
      await writeFile(draft, text, { mode: 0o600, flush: true });
      await rename(draft, this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await sync(this.folder);
    await this.sweep();
    return count;
  }

  private get format(): string {
    return `sluice-${this.name}`;
  }

  /** Removes drafts of processes that died while they wrote them. */
  private async sweep(): Promise<void> {
    const names = await readdir(this.folder);
    for (const name of names.filter((fileName) => fileName.startsWith(`${this.file}.`) && fileName.endsWith('.tmp'))) {
      const draft = join(this.folder, name);
      const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > staleDraftMs) await rm(draft, { force: true });
    }
  }
}

/** Makes the text in several turns of the event loop, so that a process with many records serves clients in between. */
async function encodeSnapshot(
  records: Iterable<CompactedRecord>,
  format: string,
): Promise<{ text: string[]; count: number }> {
  const sha256 = createHash('sha256');
  const parts: string[] = [];
  let [part, count] = ['[', 0];
  const end = (suffix: string): void => {
    sha256.update(part + suffix);
    parts.push(part + suffix);
    part = '';
  };
  for (const { key, value } of records) {
    part += `${count > 0 ? ',' : ''}${JSON.stringify([key, value?.toString() ?? null])}`;
    if (++count % recordsPerTurn !== 0) continue;
    end('');
    await nextTurn();
  }
  end(']');
  const header: Header = { format, version, sha256: sha256.digest('hex') };
  return { text: [JSON.stringify(header), '\n', ...parts, '\n'], count };
}

function parse(text: string, format: string): CompactedRecord[] {
  const [first = '', body = ''] = text.split('\n', 2);
  const header = JSON.parse(first) as Partial<Header>;
  if (header.format !== format || header.version !== version) throw new Error('not a snapshot of this version');
  if (header.sha256 !== hash('sha256', body)) throw new Error('the snapshot is torn: its checksum differs');
  const records = JSON.parse(body) as [key: string, value: string | null][];
  return records.map(([key, value]) => ({ key, value: value === null ? null : Buffer.from(value) }));
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
