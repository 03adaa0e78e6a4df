import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseText } from '@sluice/contracts';
import { httpError } from '../errors/api-error.js';
import { explainJson } from './json-fault.js';
import {
  type ListPlace,
  type ListRules,
  nativeList,
  readOutline,
  type OutlineSize,
  type ByteRange,
} from './json-outline.js';

/** Upper bound of the levels of a body. */
export const maxDepth = 32;
/** Upper bound of the members of a message, at any depth; some 600 are stored. Unique names are slow to parse. */
const maxMembers = 8_192;
/**
 * Size above which the outline of a body is read before it is parsed: nested brackets and names take up to thirty times
 * as long as usual text.
 */
const maxUncheckedBytes = 98_304;

export const tooDeep = `is nested deeper than ${maxDepth} levels`;
const tooManyMembers = `has more than ${maxMembers} members in all its levels`;

interface BodyOptions {
  /** Size up to which the outline is not read before parsing. */
  maxUnchecked?: number;
  /** The list that is parsed item by item. */
  list?: ListRules;
  /** Whether items that cannot be read are left out of the list, instead of refusing the whole body. */
  isLenient?: boolean;
}

/** The JSON body of a request. A long list is parsed item by item, so that others can be served in between. */
export class JsonBody {
  /** The bytes as sent, inflated. */
  readonly bytes: Buffer;
  private depthIsKnown = false;
  private parsed: unknown;
  /** The list whose items are being parsed. */
  private place: ListPlace | undefined;
  private readonly items: unknown[] = [];
  /** The place of each item of the list that is in the value; undefined while the outline was not read. */
  private itemRanges: readonly ByteRange[] | undefined;
  /** Reasons why items were not parsed, by index. */
  private faults: Map<number, string> | undefined;
  private readonly isText: boolean;
  private readonly list: ListRules;
  private readonly isLenient: boolean;

  /**
   * @throws ApiError 400 when the bytes are missing, not UTF-8 or not JSON, or exceed the depth or the members.
   */
  constructor(
    bytes: Buffer = Buffer.alloc(0),
    { maxUnchecked = maxUncheckedBytes, list = nativeList, isLenient = false }: BodyOptions = {},
  ) {
    this.list = list;
    this.isLenient = isLenient;
    this.bytes = bytes;
    this.isText = isUtf8(bytes);
    if (!this.isText && !isLenient) throw httpError.malformed(explainJson(bytes));
    if (!this.isText || bytes.length > maxUnchecked) this.place = this.readOutline();
    if (this.place === undefined) this.parsed = this.parseWhole();
  }

  /** The parsed value. @throws ApiError 400 when a list that was not parsed yet is not JSON. */
  get value(): unknown {
    this.parseUntil(Infinity);
    return this.parsed;
  }

  /**
   * Parses items of a long list until this time of `performance.now()`, one at least.
   * @returns whether the whole body is parsed
   * @throws ApiError 400
   */
  parseUntil(until: number): boolean {
    if (this.place === undefined) return true;
    for (const range of this.place.items.slice(this.items.length)) {
      this.items.push(this.parseItem(range, this.items.length));
      if (performance.now() > until) break;
    }
    if (this.items.length < this.place.items.length) return false;
    this.parsed = this.withItems(this.place);
    this.place = undefined;
    return true;
  }

  /** Reason why an item of the list could not be read; its value is undefined. Only in a lenient body. */
  itemFault(index: number): string | undefined {
    return this.faults?.get(index);
  }

  /** Bytes of an item of the list as sent; undefined when they are not known, in a body that is not long. */
  itemBytes(index: number): number | undefined {
    const range = this.itemRanges?.[index];
    return range && range[1] - range[0];
  }

  /**
   * Text of an item of the list as sent. Reads the outline if that was not done yet. Empty if the item's place is not
   * known: in a body that has the list twice, the second time under an escaped name.
   */
  itemText(index: number): string {
    this.itemRanges ??= this.readRanges();
    const range = this.itemRanges[index];
    return range === undefined ? '' : this.bytes.toString('utf8', ...range).trim();
  }

  /**
   * Must be called before the value is traversed completely, and before any of its content is reported. The constructor
   * skips it for small bodies: counting takes half as long as parsing, and a body that is stored unchanged cannot
   * be that deep.
   * @throws ApiError 400 when the body is deeper than 32.
   */
  assertDepth(): void {
    if (this.depthIsKnown) return;
    const { outside, place } = readOutline(this.bytes, this.list);
    if ([outside, ...(place?.sizes ?? [])].some(({ depth }) => depth > maxDepth)) throw httpError.malformed(tooDeep);
    this.depthIsKnown = true;
  }

  /** Returns the place of the list; undefined if it is missing, empty or too long. @throws ApiError 400 */
  private readOutline(): ListPlace | undefined {
    const { outside, place } = readOutline(this.bytes, this.list);
    const fault = findFault(outside);
    if (fault !== undefined) throw httpError.malformed(fault);
    for (const [index, size] of place?.sizes.entries() ?? []) this.addFault(index, findFault(size));
    this.depthIsKnown = true;
    const [first, second] = place?.items ?? [];
    const isEmpty = first !== undefined && second === undefined && isBlank(this.bytes.subarray(...first));
    return isEmpty ? undefined : place;
  }

  /** The places of the items in the value, which was parsed as a whole. */
  private readRanges(): readonly ByteRange[] {
    const { place } = readOutline(this.bytes, this.list);
    return place && this.isInValue(this.parseAround(this.withoutItems(place))) ? place.items : [];
  }

  private addFault(index: number, fault: string | undefined): void {
    if (fault === undefined) return;
    if (!this.isLenient) throw httpError.malformed(`${this.list.name}[${index}] ${fault}`);
    this.faults ??= new Map();
    this.faults.set(index, fault);
  }

  /** Parses a body without a list, or a short one. Its good items are taken if it is lenient. @throws ApiError 400 */
  private parseWhole(): unknown {
    try {
      if (this.isText) return parseText(this.bytes.toString('utf8'));
    } catch {
      // Explained below, which takes longer than parsing.
    }
    if (this.isLenient && this.isText && !this.depthIsKnown) this.place = this.readOutline();
    if (this.place === undefined) throw httpError.malformed(explainJson(this.bytes));
    return undefined;
  }

  /** @throws ApiError 400 unless the body is lenient */
  private parseItem(range: ByteRange, index: number): unknown {
    if (this.faults?.has(index)) return undefined;
    const bytes = this.bytes.subarray(...range);
    try {
      if (this.isText || isUtf8(bytes)) return parseText(bytes.toString('utf8'));
    } catch {
      // Explained below.
    }
    if (!this.isLenient) throw httpError.malformed(explainJson(this.bytes));
    this.addFault(index, isBlank(bytes) ? `is missing at byte ${range[0]}` : `is ${explainJson(bytes, range[0])}`);
    return undefined;
  }

  /** Parses the body without the items, and adds them unless a later member of the same name replaces the list. */
  private withItems(place: ListPlace): unknown {
    const value = this.parseAround(this.withoutItems(place));
    if (!this.isInValue(value)) {
      this.faults = undefined;
      return value;
    }
    this.itemRanges = place.items;
    return Object.assign(value as object, { [this.list.name]: this.items });
  }

  /** The body with a mark in place of the items. */
  private withoutItems({ list: [from, to] }: ListPlace): Buffer {
    const { bytes } = this;
    return Buffer.concat([bytes.subarray(0, from), Buffer.from(`"${mark}"`), bytes.subarray(to)]);
  }

  /** Whether the list that was marked is that of the value. */
  private isInValue(value: unknown): boolean {
    const list = (value as Record<string, unknown>)[this.list.name];
    return Array.isArray(list) && list[0] === mark;
  }

  /** @throws ApiError 400 */
  private parseAround(bytes: Buffer): unknown {
    try {
      if (this.isText || isUtf8(bytes)) return parseText(bytes.toString('utf8'));
    } catch {
      // Explained below.
    }
    throw httpError.malformed(explainJson(this.bytes));
  }
}

/** Stands for the items of a list. It is random, so that no client can send it. */
const mark = randomUUID();

const isBlank = (bytes: Buffer): boolean => bytes.toString('latin1').trim() === '';

function findFault({ depth, members }: OutlineSize): string | undefined {
  if (depth > maxDepth) return tooDeep;
  return members > maxMembers ? tooManyMembers : undefined;
}
