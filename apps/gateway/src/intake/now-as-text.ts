let millisecond = NaN;
let text = '';

/** The present time, ISO 8601 UTC; written once a millisecond. */
export function nowAsText(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    text = new Date(now).toISOString();
  }
  return text;
}
