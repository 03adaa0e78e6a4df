import { Injectable } from '@nestjs/common';
import { SourceReader, SourceWriter } from '@sluice/sources';

/** A watch ends by itself after this time, unless somebody still looks. */
const watchMs = 120_000;
const maxWatched = 20;

/** Tells the gateways which sources somebody looks at: of those they keep more refusals. */
@Injectable()
export class Watches {
  private readonly writing = new Set<string>();

  constructor(
    private readonly reader: SourceReader,
    private readonly writer: SourceWriter,
  ) {}

  nameOf(source: string): string {
    return this.reader.registry.find(source)?.name ?? '';
  }

  /** Somebody looks at the source now. It never fails: without it fewer samples are kept. */
  look(source: string | undefined): void {
    const { registry } = this.reader;
    const now = Date.now();
    if (source === undefined || this.writing.has(source) || !registry.findEnabled(source)) return;
    if (registry.watchedUntil(source) > now + watchMs / 2) return;
    const watched = registry.list().filter(({ sourceIdentifier: id }) => registry.watchedUntil(id) > now);
    if (watched.length >= maxWatched && !watched.some(({ sourceIdentifier }) => sourceIdentifier === source)) return;
    this.writing.add(source);
    void this.writer
      .watch(source, new Date(now + watchMs))
      .catch(() => undefined)
      .finally(() => this.writing.delete(source));
  }
}
