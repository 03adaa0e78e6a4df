/** The names that a source uses: paths in its free-form objects, as hashes. */
export interface UsedNames {
  /** Whether the path is known. */
  has(path: number): boolean;
  /** Whether the path is known, or may be added; it is then known. */
  admit(path: number): boolean;
}
