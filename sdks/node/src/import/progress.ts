import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { type ImportOptions } from './options.js';
import { type MessageProblem } from './message.js';

/** An import and its progress. */
export interface Progress {
  readonly host: string;
  readonly source: string;
  /** Size and time of the file: progress in another file means nothing. */
  readonly bytes: number;
  readonly modifiedAt: string;
  /** Position in the file up to which all is stored or refused, and the number of the line that begins there. */
  position: number;
  line: number;
  stored: number;
  refused: number;
  /** Messages that are stored without some of their values. */
  partly: number;
  /** Size of the report; longer reports are cut to it when the import continues. */
  reportBytes: number;
}

const progressFile = (file: string): string => `${file}.progress.json`;
export const reportFile = (file: string): string => `${file}.rejects.ndjson`;

/** The progress of an earlier import of this file, or a new one. */
export async function readProgress({ file, apiHost, sourceIdentifier, isRestart }: ImportOptions): Promise<Progress> {
  const { size, mtime } = await stat(file);
  const fileState = { host: apiHost, source: sourceIdentifier, bytes: size, modifiedAt: mtime.toISOString() };
  const earlier = isRestart ? {} : await readEarlierProgress(file);
  const isSame = Object.entries(fileState).every(([name, value]) => earlier[name as keyof Progress] === value);
  const counts = { position: 0, line: 1, stored: 0, refused: 0, partly: 0, reportBytes: 0 };
  return { ...fileState, ...counts, ...(isSame && earlier) };
}

async function readEarlierProgress(file: string): Promise<Partial<Progress>> {
  try {
    return JSON.parse(await readFile(progressFile(file), 'utf8')) as Partial<Progress>;
  } catch {
    return {};
  }
}

/** Writes the progress as a whole, so that an interruption leaves no part of it. */
export async function writeProgress(file: string, progress: Progress): Promise<void> {
  await writeFile(`${progressFile(file)}.new`, JSON.stringify(progress));
  await rename(`${progressFile(file)}.new`, progressFile(file));
}

export const removeProgress = (file: string): Promise<void> => rm(progressFile(file), { force: true });

/** An entry of the report. */
export interface Rejected {
  readonly line: number;
  readonly isStored: boolean;
  readonly problems: readonly MessageProblem[];
  readonly text: string;
}

/** File next to the imported one, with a line for each message that was refused, or is not stored as a whole. */
export class RejectsReport {
  private constructor(
    private readonly handle: Awaited<ReturnType<typeof open>>,
    private size: number,
  ) {}

  /** Opens the report, and cuts off entries beyond `bytes`, whose lines are sent again. */
  static async open(file: string, bytes: number): Promise<RejectsReport> {
    const handle = await open(reportFile(file), 'a');
    await handle.truncate(bytes);
    return new RejectsReport(handle, bytes);
  }

  get bytes(): number {
    return this.size;
  }

  async add(entries: readonly Rejected[]): Promise<void> {
    if (entries.length === 0) return;
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await this.handle.appendFile(text);
    this.size += Buffer.byteLength(text);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
