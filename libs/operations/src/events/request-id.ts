import { OperationError } from '../operation-error.js';

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface RequestId {
  readonly id: string;
  /** Time at which the gateway received the request, milliseconds since 1970; part of the id (RFC 9562 §5.7). */
  readonly receivedAt: number;
}

/** Range of `received_at` around the time of the id. A row is made during its request; the rest is a safety margin. */
export const receivedWithin = ({ receivedAt }: RequestId): { from: number; until: number } => ({
  from: receivedAt - 60_000,
  until: receivedAt + 600_000,
});

/** Condition on the time of rows, with the parameters of `receivedWithin`. */
export const receivedRange =
  'received_at BETWEEN fromUnixTimestamp64Milli({from:Int64}) AND fromUnixTimestamp64Milli({until:Int64})';

/** @throws OperationError unless the text is a UUID of version 7, like every X-Request-Id. */
export function parseRequestId(text: string): RequestId {
  const id = text.trim().toLowerCase();
  if (!uuidV7.test(id)) {
    throw new OperationError(
      `'${text.slice(0, 100)}' is not a request id; that is the X-Request-Id of an answer, a UUID of version 7`,
    );
  }
  return { id, receivedAt: Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) };
}
