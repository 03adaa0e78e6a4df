import { Injectable } from '@nestjs/common';
import { SourceReader, SourceWriter } from '@sluice/sources';

/** A watch ends by itself after this time, unless someone still looks. */
const watchMs = 120_000;
const maxWatched = 20;

/** Publishes to the gateways which sources someone looks at: of those they keep more refusals. */
@Injectable()
export class Watches {
  private readonly writing = new Set<string>();

  constructor(
    private readonly reader: SourceReader,
    private readonly writer: SourceWriter,
  ) {}

  /** Notes that someone looks at the source now. It never fails: without it, only fewer samples are kept. */
  look(source: string | undefined): void {
    const { registry } = this.reader;
    const now = Date.now();
    if (source === undefined || this.writing.has(source) || !registry.findEnabled(source)) return;
    if (registry.watchedUntil(source) > now + watchMs / 2) return;
    const sources = registry.list().map(({ sourceIdentifier }) => sourceIdentifier);
    // Sources whose watch is being written count too: many can be looked at in the same moment.
    const watched = new Set([
      ...this.writing,
      ...sources.filter((identifier) => registry.watchedUntil(identifier) > now),
    ]);
    if (watched.size >= maxWatched && !watched.has(source)) return;
    this.writing.add(source);
    void this.writer
      .watch(source, new Date(now + watchMs))
      .catch(() => undefined)
      .finally(() => this.writing.delete(source));
  }
}
