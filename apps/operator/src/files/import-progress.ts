import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Content and destination of an import: progress with one gateway means nothing for another. */
export interface ImportTarget<Type extends string = string> {
  /** Origin of the gateway. */
  gateway: string;
  source: string;
  /** Entity type of a catalog, or the system that the export is from. */
  type: Type;
}

/** An import and its progress. Counts are of records, from the start of the file. */
export interface ImportState<Type extends string = string> extends ImportTarget<Type> {
  /** Size of the file; an import continues only with the same size and time. */
  bytes: number;
  modifiedAt: string;
  settled: number;
  refused: number;
  /** Number of records that were stored without some of their values. */
  partlyStored: number;
}

const fileOf = (file: string): string => `${file}.progress.json`;

/**
 * Reads the progress of an earlier import of the file; returns a new state if there is none.
 * @returns also whether an earlier process began this import: it may have sent records after the settled ones
 */
export async function readProgress<Type extends string>(
  file: string,
  target: ImportTarget<Type>,
): Promise<{ state: ImportState<Type>; isContinued: boolean }> {
  const { size, mtime } = await stat(file);
  const begin = { ...target, bytes: size, modifiedAt: mtime.toISOString() };
  const fresh: ImportState<Type> = { ...begin, settled: 0, refused: 0, partlyStored: 0 };
  const kept = await readKept(file);
  const isContinued = Object.entries(begin).every(([name, value]) => kept[name as keyof ImportState] === value);
  return { state: isContinued ? { ...fresh, ...(kept as Partial<ImportState<Type>>) } : fresh, isContinued };
}

async function readKept(file: string): Promise<Partial<ImportState>> {
  try {
    return JSON.parse(await readFile(fileOf(file), 'utf8')) as Partial<ImportState>;
  } catch {
    return {};
  }
}

/** Writes the progress atomically, so that a crash never leaves a part of it. */
export async function writeProgress(file: string, state: ImportState): Promise<void> {
  await writeFile(`${fileOf(file)}.new`, JSON.stringify(state));
  await rename(`${fileOf(file)}.new`, fileOf(file));
}

export const removeProgress = (file: string): Promise<void> => rm(fileOf(file), { force: true });
