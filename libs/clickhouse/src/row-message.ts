/** The part of a table's order in which the copies of a row's message lie. */
export interface MessagePlace {
  /** `repeat_bucket` of the table; undefined in a table without it. */
  readonly bucket?: number;
  readonly sourceId: string;
  /** Minutes since 1970. */
  readonly minute: number;
  /** The client said when it took place, so all copies say the same; else the time is that of this copy's arrival. */
  readonly hasOwnTime: boolean;
}

/** A message as its row names it. */
export interface RowMessage {
  /** Message id in lower case; undefined when there is none. */
  readonly id: string | undefined;
  /** Undefined when it cannot be read from the bytes. */
  readonly place: MessagePlace | undefined;
}
