/**
 * Class of work that shares the time: small bodies with a key, large or costly ones with a key (a maximal batch takes
 * many milliseconds), and everything without a valid key.
 */
export type WorkShare = 'small' | 'large' | 'keyless';

/** The queue of a piece of work: its share of the time, and the source that the work is for. */
export interface WorkQueue {
  share: WorkShare;
  /** Source with a valid key; for keyless work, the kind of work. */
  source: string;
  /** Whether the work is on a small body that has been read. */
  isSmallBody?: boolean;
}

/** A request whose client may disconnect while it waits, or whose connection may break. */
export interface WorkOwner {
  readonly socket: { readonly destroyed: boolean };
  readonly isBroken: boolean | undefined;
}
