/**
 * Kind of a failure in one word for labels and logs: `TOO_MANY_PARTS`, `ECONNREFUSED`, `TimeoutError`. It never
 * contains the message, because a server's message may quote the data that it was sent.
 */
export function errorCode(error: unknown): string {
  const { type, code, name, cause } = (error ?? {}) as Record<'type' | 'code' | 'name' | 'cause', unknown>;
  const word = [type, code].find(isWord);
  if (word !== undefined) return word;
  return cause === undefined ? (isWord(name) ? name : 'unknown') : errorCode(cause);
}

/** Name of the shard of ClickHouse that an error comes from; undefined for all other errors. */
export function errorShard(error: unknown): string | undefined {
  const { shard } = (error ?? {}) as { readonly shard?: unknown };
  return typeof shard === 'string' ? shard : undefined;
}

const isWord = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9_]{1,60}$/.test(value);
