import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(16_384);
const digitsPerId = 19;
let digits = '';
let used = 0;
let millisecond = 0;
let timePart = '';

/**
 * Returns a new UUID of version 7 (RFC 9562): the wall clock's time in milliseconds and 74 random bits. Nothing relies
 * on the order of ids: ids of one millisecond have none, and a clock that is set back gives earlier ids. `events find`
 * searches topics and tables around the time of an id. Random bytes are drawn and formatted for many ids at once: every
 * event has an id, and the library `uuid` takes three times as long for it.
 */
export function newId(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    const time = now.toString(16).padStart(12, '0');
    timePart = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  if (used + digitsPerId > digits.length) {
    digits = randomFillSync(pool).toString('hex');
    used = 0;
  }
  const start = used;
  used += digitsPerId;
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(start + 3), 16) % 4);
  const [a, b, node] = [
    digits.slice(start, start + 3),
    digits.slice(start + 4, start + 7),
    digits.slice(start + 7, start + 19),
  ];
  return `${timePart}${a}-${variant}${b}-${node}`;
}
