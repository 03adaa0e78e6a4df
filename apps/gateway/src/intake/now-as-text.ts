let millisecond = NaN;
let text = '';

/** Returns the present time in ISO 8601, UTC; the text is made once per millisecond. */
export function nowAsText(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    text = new Date(now).toISOString();
  }
  return text;
}
