import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesPerId = 16;
const pool = Buffer.alloc(1_024 * bytesPerId);
let used = pool.length;

/** Random bytes are drawn for many ids at once: drawing them for each is most of what an id costs. */
function random(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += bytesPerId));
}

/** A new UUID of version 7 (RFC 9562). */
export const newId = (): string => v7({ rng: random });
