/** The part of a table's order in which the copies of a row's message lie. */
export interface MessagePlace {
  /** `repeat_bucket` of the table; undefined in a table without it. */
  readonly bucket?: number;
  readonly sourceId: string;
  /** Minutes since 1970. */
  readonly minute: number;
  /** True when the client sent the time, so that all copies have it; false when it is the arrival of this copy. */
  readonly hasOwnTime: boolean;
}

/** The identity of a row's message. */
export interface MessageIdentity {
  /** Message id in lower case; undefined when there is none. */
  readonly id: string | undefined;
  /** Undefined when it cannot be read from the bytes. */
  readonly place: MessagePlace | undefined;
}
