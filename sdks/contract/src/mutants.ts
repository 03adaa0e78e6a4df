import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';

/**
 * Faults of an SDK that a test with killed processes must find. A test that does not know which messages were promised
 * would miss at least one of them.
 */
export const mutants = ['drops half', 'writes late', 'has new keys', 'forgets a file'] as const;

export type Mutant = (typeof mutants)[number];

interface Parts<Track> {
  readonly track: Track;
  /** Files of the batches that wait. */
  readonly files: () => readonly string[];
}

/** Makes this process a mutant. Returns the mutant's `track`; without a mutant, that of the client. */
export function mutated<Track extends (...args: never[]) => boolean>(
  mutant: string | undefined,
  { track, files }: Parts<Track>,
): Track {
  const original: (...args: never[]) => boolean = track;
  let number = 0;
  switch (mutant) {
    case 'drops half':
      return ((...args) => number++ % 2 === 0 || original(...args)) as Track;
    case 'writes late':
      return ((...args) => {
        setTimeout(() => original(...args), 5);
        return true;
      }) as Track;
    case 'has new keys':
      withNewKeys();
      return track;
    case 'forgets a file':
      for (const file of files().slice(-1)) rmSync(file, { force: true });
      return track;
    default:
      return track;
  }
}

/** Gives each request of this process a key of its own, so that the service cannot recognise a repeat. */
function withNewKeys(): void {
  const original = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('idempotency-key', randomUUID());
    return original(url, { ...init, headers });
  };
}
