import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(16_384);
const digitsPerId = 19;
let digits = '';
let used = 0;
let millisecond = 0;
let timePart = '';

/**
 * A new UUID of version 7 (RFC 9562): the time of the wall clock in milliseconds, and 74 random bits. Ids of one
 * millisecond have no order, and a clock that is set back gives ids of the past: nothing relies on their order, and
 * `events find` looks for an id around its time, which must be that of the topics and tables then. Random bytes are drawn
 * and written as text for many ids at once: by the library `uuid` an id takes three times as long, and every event has one.
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
  const at = used;
  used += digitsPerId;
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(at + 3), 16) % 4);
  const [a, b, node] = [digits.slice(at, at + 3), digits.slice(at + 4, at + 7), digits.slice(at + 7, at + 19)];
  return `${timePart}${a}-${variant}${b}-${node}`;
}
