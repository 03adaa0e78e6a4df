/** JSON text of a payload; masked values are strings such as `‹string, 17, k3fa›`. */
export interface MaskedJson {
  /** At most 65,536 characters; integers keep all digits. */
  json: string;
  isCut: boolean;
  /** Whether masks were applied. */
  isMasked: boolean;
}
