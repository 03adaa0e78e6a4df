/** A message of a request. */
export interface IntakeItem {
  body: unknown;
  /** Path of the message in the body of the request: `list[3]`. */
  path: string;
  index: number;
  /** Id of the message if its client gave it one. */
  messageId?: string | undefined;
  /** Levels that it may have, for a message that is refused by itself; else the whole body is refused when it is too deep. */
  levels?: number;
  /** Returns the message as its client sent it, if `body` was made from it. */
  whole?: () => unknown;
}
