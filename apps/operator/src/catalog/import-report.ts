import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { type CatalogRecord } from './read-records.js';
import { type Outcome } from './sync-api.js';

/** Beside the imported file: a line of JSON for each record that was refused, or stored only in part. */
export class ImportReport {
  private constructor(private readonly handle: FileHandle) {}

  static fileOf(file: string): string {
    return `${file}.report.ndjson`;
  }

  /** Goes on with the entries that the counted records have already; others are of an import that was cut off. */
  static async open(file: string, entries: number): Promise<ImportReport> {
    const name = ImportReport.fileOf(file);
    const kept = entries === 0 ? '' : await readFile(name, 'utf8').catch(() => '');
    // None when it was deleted meanwhile.
    const lines = kept.split('\n').filter(Boolean).slice(0, entries);
    // Whole or not at all, whenever the process ends.
    await writeFile(`${name}.new`, lines.map((line) => `${line}\n`).join(''));
    await rename(`${name}.new`, name);
    return new ImportReport(await open(name, 'a'));
  }

  async add({ line, json }: CatalogRecord, { stored, problems }: Outcome): Promise<void> {
    // The record stays text: it may be no JSON, or have digits that would be lost.
    await this.handle.write(`${JSON.stringify({ line, stored, problems, record: json })}\n`);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
