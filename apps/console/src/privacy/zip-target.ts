import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type ExportTarget } from '@sluice/operations';
import { Zip, ZipDeflate } from 'fflate';

/** Writes the files of an export into a ZIP file, no faster than it is read. */
export class ZipTarget implements ExportTarget {
  readonly stream = new PassThrough();
  private readonly closed = new AbortController();
  private readonly zip = new Zip((error, chunk) => {
    if (error) this.stream.destroy(error);
    else this.stream.write(chunk);
  });
  private hasBegun = false;

  /** @param begin called once, before the first byte: until then an error can still be answered */
  constructor(private readonly begin: () => void) {
    this.stream.once('close', () => this.closed.abort(new Error('the reader has left')));
    // The reader sees the error. Without a listener here, it would end the process.
    this.stream.on('error', () => undefined);
  }

  get isBegun(): boolean {
    return this.hasBegun;
  }

  /** @throws Error when the reader has left. */
  async write(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (!this.hasBegun) this.begin();
    this.hasBegun = true;
    const entry = new ZipDeflate(file, { level: 6 });
    this.zip.add(entry);
    for await (const chunk of content) {
      entry.push(chunk);
      await this.drained();
    }
    entry.push(new Uint8Array(), true);
    await this.drained();
  }

  /** Writes the table of files, without which the ZIP file cannot be opened. */
  end(): void {
    this.zip.end();
    this.stream.end();
  }

  private async drained(): Promise<void> {
    this.closed.signal.throwIfAborted();
    if (this.stream.writableNeedDrain) await once(this.stream, 'drain', { signal: this.closed.signal });
  }
}
