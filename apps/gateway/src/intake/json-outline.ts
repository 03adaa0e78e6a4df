const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket, colon, comma] = Buffer.from('"\\{[}]:,');

/** A part of the bytes, from `from` up to but without `to`. */
export type Range = readonly [from: number, to: number];

/** The list of a batch within its bytes. */
export interface ListPlace {
  readonly list: Range;
  readonly items: readonly Range[];
}

/** The outline of a JSON text, by its brackets, colons and quotes. It is true for valid JSON only. */
export interface Outline {
  readonly depth: number;
  /** Members at any depth: of the largest item, or outside the list if those are more; without a `place`, of all. */
  readonly maxMembers: number;
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
export function outlineOf(bytes: Buffer, list: ListRules): Outline {
  const reader = new OutlineReader(bytes, list);
  return reader.read();
}

class OutlineReader {
  private depth = 0;
  private maxDepth = 0;
  /** Members of the present item, or of the text outside the list. */
  private members = 0;
  private membersOutside = 0;
  private membersOfList = 0;
  private maxMembers = 0;
  /** The latest string in the outermost object. */
  private text: Range = [0, 0];
  /** Whether the latest member of the outermost object is the list. */
  private isAtList = false;
  private listFrom = -1;
  private itemFrom = -1;
  private list: Range | undefined;
  private items: Range[] = [];

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
      if (byte === quote) i = this.string(i);
      else if (byte === openBrace || byte === openBracket) this.open(i, byte === openBracket);
      else if (byte === closeBrace || byte === closeBracket) this.close(i);
      else if (byte === colon) this.colon();
      else if (byte === comma && this.depth === 2 && this.listFrom >= 0) this.endItem(i);
    }
    const { list, items, maxDepth: depth, members, membersOfList } = this;
    if (items.length > this.maxItems) return { depth, maxMembers: members + membersOfList, place: undefined };
    return { depth, maxMembers: Math.max(this.maxMembers, members), place: list && { list, items } };
  }

  /** Returns the place of the closing quote. */
  private string(from: number): number {
    const { bytes } = this;
    let at = from + 1;
    while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    if (this.depth === 1) this.text = [from, at + 1];
    return at;
  }

  private colon(): void {
    this.members += 1;
    if (this.depth === 1) this.isAtList = this.bytes.subarray(...this.text).equals(this.listName);
  }

  private open(at: number, isArray: boolean): void {
    if (this.depth === 1 && this.isAtList && isArray) this.openList(at + 1);
    this.depth += 1;
    if (this.depth > this.maxDepth) this.maxDepth = this.depth;
  }

  private openList(at: number): void {
    this.listFrom = at;
    this.itemFrom = at;
    // An earlier list does not count: the last member of a name counts.
    this.membersOutside = this.members + this.membersOfList;
    [this.members, this.membersOfList, this.items] = [0, 0, []];
  }

  private close(at: number): void {
    this.depth -= 1;
    if (this.depth !== 1 || this.listFrom < 0) return;
    this.endItem(at);
    this.list = [this.listFrom, at];
    this.listFrom = -1;
    this.members = this.membersOutside;
  }

  private endItem(at: number): void {
    if (this.items.length <= this.maxItems) this.items.push([this.itemFrom, at]);
    this.itemFrom = at + 1;
    this.maxMembers = Math.max(this.maxMembers, this.members);
    this.membersOfList += this.members;
    this.members = 0;
  }
}
