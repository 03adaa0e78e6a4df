import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';

/** An entry of docs/api.md#errors. */
export interface RecordProblem {
  field: string;
  message: string;
}

/** Result of sending a record. */
export interface RecordOutcome {
  stored: boolean;
  /** Problems of a refused record, or values that a stored record lacks. */
  problems: RecordProblem[];
}

/** A record of an imported file. */
export interface FileRecord {
  /** Line in the file, from 1; the last line if there are several. */
  line: number;
  /** The record as JSON, with every digit of the file. */
  json: string;
}

/** File next to the imported one, with a line of JSON for each record that was refused or partly stored. */
export class ImportReport {
  private constructor(private readonly handle: FileHandle) {}

  static fileFor(file: string): string {
    return `${file}.report.ndjson`;
  }

  /** Opens the report with its first `entries` entries; later ones belong to records that are sent again. */
  static async open(file: string, entries: number): Promise<ImportReport> {
    const name = ImportReport.fileFor(file);
    const earlierText = entries === 0 ? '' : await readFile(name, 'utf8').catch(() => '');
    // The list is empty if the report was deleted in the meantime.
    const lines = earlierText.split('\n').filter(Boolean).slice(0, entries);
    // Replaced atomically, so that a crash never leaves a part of it.
    await writeFile(`${name}.new`, lines.map((line) => `${line}\n`).join(''));
    await rename(`${name}.new`, name);
    return new ImportReport(await open(name, 'a'));
  }

  async add({ line, json }: FileRecord, { stored, problems }: RecordOutcome): Promise<void> {
    // The record stays text: it may be invalid JSON, or have digits that parsing would lose.
    await this.handle.write(`${JSON.stringify({ line, stored, problems, record: json })}\n`);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
