import { isObject } from '@sluice/contracts';
import { type JsonBody, maxDepth } from '../intake/json-body.js';
import { isDeeper } from '../intake/json-depth.js';

/** Upper bound of an item with what its batch adds to it: that of the body of a single call. */
export const maxItemBytes = 32_768;
const maxBytesPerUnit = 3;
/** Members that are never stored and may be objects. */
const unstored = ['integrations', '_metadata', 'metadata'];
const maxPlainLength = 256;
const maxPlainMembers = 32;

/** Finds the items of a batch that are too large together with what the batch adds to each. */
export class ItemSizes {
  private readonly maxOwnBytes: number;
  /** Whether the body is so small that no item can be too large. */
  private readonly areAllWithin: boolean;

  /** @param sharedBytes what the batch adds to each item */
  constructor(
    private readonly body: JsonBody,
    sharedBytes: number,
  ) {
    this.maxOwnBytes = maxItemBytes - sharedBytes;
    this.areAllWithin = body.bytes.length <= this.maxOwnBytes;
  }

  /** Whether the item is too large, as far as that is known without a look at its content. */
  isKnownTooLarge(index: number): boolean {
    return !this.areAllWithin && (this.body.itemBytes(index) ?? 0) > this.maxOwnBytes;
  }

  /**
   * Whether the item is too large.
   * @param row its row as JSON text. The item is measured only when the row does not show that it is small, because
   * making text of every item takes half as long as parsing it.
   * @param isWhole whether the row has all of the item's members that are ever stored
   */
  isTooLarge(index: number, item: unknown, row: string, isWhole: boolean): boolean {
    if (this.areAllWithin) return false;
    const isSmall = isWhole && row.length * maxBytesPerUnit <= this.maxOwnBytes && hasPlainRest(item);
    if (isSmall) return false;
    const bytes = this.body.itemBytes(index);
    if (bytes !== undefined) return bytes > this.maxOwnBytes;
    // Making text of the item must not overflow the stack.
    return isDeeper(item, maxDepth) || Buffer.byteLength(JSON.stringify(item)) > this.maxOwnBytes;
  }
}

/** Whether the members that are not stored are as small as clients send them. */
function hasPlainRest(item: unknown): boolean {
  if (!isObject(item)) return false;
  for (const name of unstored) {
    const value = item[name];
    if (value !== undefined && !isPlain(value, maxPlainMembers)) return false;
  }
  return true;
}

function isPlain(value: unknown, members: number): boolean {
  if (typeof value === 'string') return value.length <= maxPlainLength;
  if (typeof value !== 'object' || value === null) return true;
  let count = 0;
  for (const name in value) {
    count += 1;
    if (count > members || !isPlain((value as Record<string, unknown>)[name], 0)) return false;
  }
  return true;
}
