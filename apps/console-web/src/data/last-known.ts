import { useRef } from 'react';
import { serverNow } from './clock';

export interface Known<Value> {
  value: Value;
  /** Time of the server at which it was known last, milliseconds since 1970; null when it is known now. */
  asOf: number | null;
}

/**
 * Returns the newest value that was known of a thing. During an outage, an answer may say that it knows nothing; the
 * value from before stays, with its time.
 */
export function useLastKnown<Value>(
  thing: string,
  value: Value | undefined,
  isKnown: (value: Value) => boolean,
): Known<Value> | undefined {
  const last = useRef<{ thing: string; value: Value; at: number }>(undefined);
  if (value === undefined) return undefined;
  if (isKnown(value)) {
    last.current = { thing, value, at: serverNow() };
    return { value, asOf: null };
  }
  const earlierValue = last.current?.thing === thing ? last.current : undefined;
  return earlierValue ? { value: earlierValue.value, asOf: earlierValue.at } : { value, asOf: null };
}
