import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Files, filesStorage, type Storage } from '@sluice/react-native/without-native';

export interface Harm {
  isFull: boolean;
  readonly random: () => number;
  /** Drops some writes and says nothing. */
  readonly isForgetful: boolean;
}

const slowestMs = 15;
/** Shares of the calls. */
const [lies, hangs, forgotten] = [0.01, 0.000_5, 0.1];
const hangMs = 1_000;

/** A write that finds no room leaves a part of its file. */
function contentOf(text: string, harm: Harm): string {
  return harm.isFull ? text.slice(0, text.length * harm.random()) : text;
}

function answer(harm: Harm): void {
  if (harm.isFull) throw new Error('ENOSPC');
  if (harm.random() < lies) throw new Error('the store failed after its work');
}

/** A store in a folder that answers at once. */
export function syncStorage(folder: string, harm: Harm): Storage {
  return filesStorage({
    list() {
      mkdirSync(folder, { recursive: true });
      return readdirSync(folder);
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write(file, text) {
      if (harm.isForgetful && harm.random() < forgotten) return;
      writeFileSync(join(folder, file), contentOf(text, harm));
      answer(harm);
    },
    remove(file) {
      rmSync(join(folder, file), { force: true });
    },
  });
}

/** A store in a folder that takes its time, ends calls in any order, and sometimes hangs. */
export function asyncStorage(folder: string, harm: Harm): Storage {
  const delay = (): Promise<void> => sleep(harm.random() < hangs ? hangMs : harm.random() * slowestMs);
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
      if (harm.isForgetful && harm.random() < forgotten) return;
      await writeFile(join(folder, file), contentOf(text, harm));
      await delay();
      answer(harm);
    },
    async remove(file) {
      await delay();
      await rm(join(folder, file), { force: true });
    },
  };
  return filesStorage(files);
}
