import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { type EntityType } from './entity-type.js';

/** What is imported, and how far it came. Counts are of records, in the order of the file. */
export interface ImportState {
  /** Origin of the gateway: what one has taken, another has not. */
  gateway: string;
  source: string;
  type: EntityType;
  /** Of the file: an import goes on only where it is the same. */
  bytes: number;
  modifiedAt: string;
  settled: number;
  refused: number;
  /** Stored, but for values that were left out. */
  partlyStored: number;
}

const fileOf = (file: string): string => `${file}.progress.json`;

/** The state of the file's import: where an earlier one ended, or its beginning. */
export async function readProgress(
  file: string,
  target: Pick<ImportState, 'gateway' | 'source' | 'type'>,
): Promise<ImportState> {
  const { size, mtime } = await stat(file);
  const begin = { ...target, bytes: size, modifiedAt: mtime.toISOString() };
  const fresh: ImportState = { ...begin, settled: 0, refused: 0, partlyStored: 0 };
  const kept = await readKept(file);
  const isSame = Object.entries(begin).every(([name, value]) => kept[name as keyof ImportState] === value);
  return isSame ? { ...fresh, ...kept } : fresh;
}

async function readKept(file: string): Promise<Partial<ImportState>> {
  try {
    return JSON.parse(await readFile(fileOf(file), 'utf8')) as Partial<ImportState>;
  } catch {
    return {};
  }
}

/** Whole or not at all, whenever the process ends. */
export async function writeProgress(file: string, state: ImportState): Promise<void> {
  await writeFile(`${fileOf(file)}.new`, JSON.stringify(state));
  await rename(`${fileOf(file)}.new`, fileOf(file));
}

export const removeProgress = (file: string): Promise<void> => rm(fileOf(file), { force: true });
