/** JSON text of a payload; masked values are strings such as `‹string, 17, k3fa›`. */
export interface MaskedJson {
  /** At most 64 KB; 64-bit numbers are kept as their text. */
  json: string;
  isCut: boolean;
  /** Whether masks were applied. */
  isMasked: boolean;
}
