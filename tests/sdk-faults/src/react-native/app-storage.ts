import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Files, filesStorage, type Storage } from '@sluice/react-native/without-native';

export interface StoreFaults {
  isFull: boolean;
  readonly random: () => number;
  /** Drops some writes and says nothing. */
  readonly isForgetful: boolean;
}

const slowestMs = 15;
/** Shares of the calls. */
const [lies, hangs, forgotten] = [0.01, 0.000_5, 0.1];
const hangMs = 1_000;

/** A write that finds no room leaves a part of its file, and fails. */
function writing(text: string, { isFull, random }: StoreFaults): { content: string; error: Error | undefined } {
  if (isFull) return { content: text.slice(0, text.length * random()), error: new Error('ENOSPC') };
  return { content: text, error: random() < lies ? new Error('the store failed after its work') : undefined };
}

/** A store in a folder that answers at once. */
export function syncStorage(folder: string, faults: StoreFaults): Storage {
  return filesStorage({
    list() {
      mkdirSync(folder, { recursive: true });
      return readdirSync(folder);
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write(file, text) {
      if (faults.isForgetful && faults.random() < forgotten) return;
      const { content, error } = writing(text, faults);
      writeFileSync(join(folder, file), content);
      if (error) throw error;
    },
    remove(file) {
      rmSync(join(folder, file), { force: true });
    },
  });
}

/** A store in a folder that takes its time, ends calls in any order, and sometimes hangs. */
export function asyncStorage(folder: string, faults: StoreFaults): Storage {
  const delay = (): Promise<void> => sleep(faults.random() < hangs ? hangMs : faults.random() * slowestMs);
  const files: Files = {
    async list() {
      await mkdir(folder, { recursive: true });
      return readdir(folder);
    },
    async read(file) {
      await delay();
      return readFile(join(folder, file), 'utf8');
    },
    async write(file, text) {
      await delay();
      if (faults.isForgetful && faults.random() < forgotten) return;
      const { content, error } = writing(text, faults);
      await writeFile(join(folder, file), content);
      await delay();
      if (error) throw error;
    },
    async remove(file) {
      await delay();
      await rm(join(folder, file), { force: true });
    },
  };
  return filesStorage(files);
}
