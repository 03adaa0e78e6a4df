const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket, colon, comma] = Buffer.from('"\\{[}]:,');

/** A part of the bytes, from `from` up to but without `to`. */
export type ByteRange = readonly [from: number, to: number];

/** Measures of a part of a JSON text. */
export interface OutlineSize {
  /** The deepest level, counted from the outermost value. */
  readonly depth: number;
  /** Members at any depth. */
  readonly members: number;
}

/** The list of a batch within its bytes. */
export interface ListPlace {
  readonly list: ByteRange;
  readonly items: readonly ByteRange[];
  /** The measures of each item. */
  readonly sizes: readonly OutlineSize[];
}

/** The outline of a JSON text, by its brackets, colons and quotes. It is true for valid JSON only. */
export interface Outline {
  /** Measures of the members outside the items of the list; of all members without a `place`. */
  readonly outside: OutlineSize;
  /** The last array with the list's name in the outermost object; undefined when it is longer than a batch may be. */
  readonly place: ListPlace | undefined;
}

/** The list of a batch: its name in the outermost object, and the number of items that it may have. */
export interface ListRules {
  readonly name: string;
  readonly maxItems: number;
}

/** The list of docs/api.md#batches. */
export const nativeList: ListRules = { name: 'list', maxItems: 100 };

/** The list of a batch of Segment's clients. */
export const segmentList: ListRules = { name: 'batch', maxItems: 2_500 };

/** Reads the outline of a JSON text without parsing it, because parsing a hostile text can take far longer. */
export function readOutline(bytes: Buffer, list: ListRules): Outline {
  const reader = new OutlineReader(bytes, list);
  return reader.read();
}

class OutlineReader {
  private depth = 0;
  /** The deepest level, and the members, of the present item or of the text outside the list. */
  private maxDepth = 0;
  private members = 0;
  private outside: OutlineSize = { depth: 0, members: 0 };
  private depthOfList = 0;
  private membersOfList = 0;
  /** The latest string in the outermost object. */
  private text: ByteRange = [0, 0];
  /** Whether the latest member of the outermost object is the list. */
  private isAtList = false;
  private listFrom = -1;
  private itemFrom = -1;
  private list: ByteRange | undefined;
  private items: ByteRange[] = [];
  private sizes: OutlineSize[] = [];

  private readonly listName: Buffer;
  private readonly maxItems: number;

  constructor(
    private readonly bytes: Buffer,
    { name, maxItems }: ListRules,
  ) {
    this.listName = Buffer.from(`"${name}"`);
    this.maxItems = maxItems;
  }

  read(): Outline {
    const { bytes } = this;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === quote) i = this.readString(i);
      else if (byte === openBrace || byte === openBracket) this.open(i, byte === openBracket);
      else if (byte === closeBrace || byte === closeBracket) this.close(i);
      else if (byte === colon) this.passColon();
      else if (byte === comma && this.depth === 2 && this.listFrom >= 0) this.endItem(i);
    }
    const { list, items, sizes, maxDepth: depth, members } = this;
    const outside = { depth, members };
    if (items.length > this.maxItems || !list) return { outside: addSizes(outside, this.listSize()), place: undefined };
    return { outside, place: { list, items, sizes } };
  }

  /** Returns the place of the closing quote. */
  private readString(from: number): number {
    const { bytes } = this;
    let index = from + 1;
    while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1;
    if (this.depth === 1) this.text = [from, index + 1];
    return index;
  }

  private passColon(): void {
    this.members += 1;
    if (this.depth === 1) this.isAtList = this.bytes.subarray(...this.text).equals(this.listName);
  }

  private open(index: number, isArray: boolean): void {
    if (this.depth === 1 && this.isAtList && isArray) this.openList(index + 1);
    this.depth += 1;
    if (this.depth > this.maxDepth) this.maxDepth = this.depth;
  }

  private openList(index: number): void {
    this.listFrom = index;
    this.itemFrom = index;
    // An earlier list does not count: the last member of a name counts.
    this.outside = addSizes({ depth: this.maxDepth, members: this.members }, this.listSize());
    [this.depthOfList, this.membersOfList] = [0, 0];
    [this.items, this.sizes] = [[], []];
    this.restart();
  }

  private listSize(): OutlineSize {
    return { depth: this.depthOfList, members: this.membersOfList };
  }

  private restart({ depth, members }: OutlineSize = { depth: 0, members: 0 }): void {
    this.maxDepth = depth;
    this.members = members;
  }

  private close(index: number): void {
    this.depth -= 1;
    if (this.depth !== 1 || this.listFrom < 0) return;
    this.endItem(index);
    this.list = [this.listFrom, index];
    this.listFrom = -1;
    this.restart(this.outside);
  }

  private endItem(index: number): void {
    const size = { depth: this.maxDepth, members: this.members };
    if (this.items.length <= this.maxItems) {
      this.items.push([this.itemFrom, index]);
      this.sizes.push(size);
    }
    this.itemFrom = index + 1;
    this.depthOfList = Math.max(this.depthOfList, size.depth);
    this.membersOfList += size.members;
    this.restart();
  }
}

const addSizes = (first: OutlineSize, second: OutlineSize): OutlineSize => ({
  depth: Math.max(first.depth, second.depth),
  members: first.members + second.members,
});
