import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Batch } from '@sluice/sdk-core';
import { type FiledBatch, readBatchFile } from './batch-file.js';
import { realDisk } from './disk.js';
import { writeWhole } from './whole-file.js';

/** The folder of damaged files, and the function that is notified. */
export interface Reporting {
  /** Folder that gets a copy of each damaged file. */
  readonly damaged: string;
  /** Called for a file that is damaged or cannot be used, with the number of messages it lost. */
  readonly report: (message: string, lost: number) => void;
}

/** Files that stay where they are, and were reported. */
const reported = new Set<string>();

/** The batch of a file. Files without a batch, torn ends and damage are handled as sdks/contract/store.md says. */
export function readSound(path: string, { damaged, report }: Reporting): FiledBatch | undefined {
  const leave = (message: string): void => {
    if (!reported.has(path)) report(message, 0);
    reported.add(path);
  };
  try {
    const content = readBatchFile(readFileSync(path));
    if (content.is === 'foreign' || content.is === 'newer') {
      leave(content.is === 'newer' ? 'a file was written by a newer version' : 'a file is not a batch');
      return undefined;
    }
    if (content.lost > 0) setAside(path, damaged);
    if (content.is === 'empty') {
      rmSync(path);
      report(content.lost > 0 ? 'a damaged file was set aside' : 'a torn file was removed', content.lost);
      return undefined;
    }
    if (!isBatch(content.header)) {
      leave('a file has an unknown header');
      return undefined;
    }
    const { header } = content;
    if (content.isTorn) {
      truncateSync(path, content.end);
      report('a torn end of a file was removed', 0);
      return { ...content, isTorn: false };
    }
    if (content.lost === 0) return content;
    writeWhole(path, header, { ...content, isSealed: true }, realDisk);
    report('a damaged file was set aside', content.lost);
    return readSound(path, { damaged, report });
  } catch (error) {
    // Another client may have taken it already.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') leave('a file cannot be read');
    return undefined;
  }
}

function setAside(path: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(path, join(folder, basename(path)));
}

function isBatch(header: object): header is Batch & Readonly<Record<string, unknown>> {
  const { key, host, sourceIdentifier, kind, created } = header as Partial<Record<keyof Batch, unknown>>;
  const areTexts = [key, host, sourceIdentifier].every((text) => typeof text === 'string' && text !== '');
  return areTexts && (kind === 'track' || kind === 'identify' || kind === 'device') && typeof created === 'number';
}
