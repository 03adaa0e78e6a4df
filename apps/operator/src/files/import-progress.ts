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

const progressFile = (file: string): string => `${file}.progress.json`;

/**
 * Reads the progress of an earlier import of the file; returns a new state if there is none.
 * @returns also whether an earlier process began this import: it may have sent records after the settled ones
 */
export async function readImportProgress<Type extends string>(
  file: string,
  target: ImportTarget<Type>,
): Promise<{ state: ImportState<Type>; isContinued: boolean }> {
  const { size, mtime } = await stat(file);
  const importFacts = { ...target, bytes: size, modifiedAt: mtime.toISOString() };
  const newState: ImportState<Type> = { ...importFacts, settled: 0, refused: 0, partlyStored: 0 };
  const earlierState = await readEarlierState(file);
  const isContinued = Object.entries(importFacts).every(
    ([name, value]) => earlierState[name as keyof ImportState] === value,
  );
  return {
    state: isContinued ? { ...newState, ...(earlierState as Partial<ImportState<Type>>) } : newState,
    isContinued,
  };
}

async function readEarlierState(file: string): Promise<Partial<ImportState>> {
  try {
    return JSON.parse(await readFile(progressFile(file), 'utf8')) as Partial<ImportState>;
  } catch {
    return {};
  }
}

/** Writes the progress atomically: neither a crash nor another import of the file leaves a part of it. */
export async function writeImportProgress(file: string, state: ImportState): Promise<void> {
  const newFile = `${progressFile(file)}.${process.pid}.new`;
  await writeFile(newFile, JSON.stringify(state));
  await rename(newFile, progressFile(file));
}

export const removeImportProgress = (file: string): Promise<void> => rm(progressFile(file), { force: true });
