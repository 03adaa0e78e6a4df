/**
 * Member that keeps, as the text of a JSON object, members whose names are beyond the bound of a source. A member of
 * this name that a client sends is kept in there too. See docs/api.md#new-names.
 */
export const moreNames = '_more_names';

/** Whether a member of a column, if it has this name, would be in the place of `moreNames`. */
export const isReservedName = (name: string): boolean => name === moreNames || name.startsWith(`${moreNames}.`);

/** The names that a source uses: paths in its free-form objects, as hashes. */
export interface UsedNames {
  /** Number of the request that uses them, above 0: what is known once stays known while it is read. */
  readonly request: number;
  /** Whether the path is known. */
  readonly has: (path: number) => boolean;
  /** Whether the path is known, or may be added; it is then known. */
  readonly admit: (path: number) => boolean;
}

let latestRequest = 0;

/** A number that no other request of this process has. */
export const nextRequestNumber = (): number => ++latestRequest;
