import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseText } from '@sluice/contracts';
import { httpError } from '../errors/api-error.js';
import { type ListPlace, type ListRules, nativeList, outlineOf, type Range } from './json-outline.js';

const maxDepth = 32;
/** Upper bound of the members of a message, at any depth; some 600 are stored. Unique names are slow to parse. */
const maxMembers = 8_192;
/**
 * Size above which the outline of a body is read before it is parsed: nested brackets and names take up to thirty times
 * as long as usual text.
 */
const maxUncheckedBytes = 98_304;

interface BodyOptions {
  /** Size up to which the outline is not read before parsing. */
  maxUnchecked?: number;
  /** The list that is parsed item by item. */
  list?: ListRules;
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
  /** The place of each item of the list that is in the value; empty when the outline was not read. */
  private itemRanges: readonly Range[] = [];

  private readonly list: ListRules;

  /**
   * @throws ApiError 400 when the bytes are missing, not UTF-8 or not JSON, or exceed the depth or the members.
   */
  constructor(bytes: Buffer | undefined, { maxUnchecked = maxUncheckedBytes, list = nativeList }: BodyOptions = {}) {
    this.list = list;
    if (bytes === undefined || !isUtf8(bytes)) throw httpError.malformed();
    this.bytes = bytes;
    if (bytes.length > maxUnchecked) this.place = this.readOutline();
    if (this.place === undefined) this.parsed = parsed(bytes);
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
      this.items.push(parsed(this.bytes.subarray(...range)));
      if (performance.now() > until) break;
    }
    if (this.items.length < this.place.items.length) return false;
    this.parsed = this.withItems(this.place);
    this.place = undefined;
    return true;
  }

  /** Bytes of an item of the list as sent; undefined when they are not known, in a body that is not long. */
  bytesOfItem(index: number): number | undefined {
    const range = this.itemRanges[index];
    return range && range[1] - range[0];
  }

  /**
   * Must be called before the value is traversed completely, and before any of its content is reported. The constructor
   * skips it for small bodies: counting takes half as long as parsing, and a body that is stored unchanged cannot
   * be that deep.
   * @throws ApiError 400 when the body is deeper than 32.
   */
  assertDepth(): void {
    if (this.depthIsKnown) return;
    if (outlineOf(this.bytes, this.list).depth > maxDepth) throw httpError.malformed();
    this.depthIsKnown = true;
  }

  /** Returns the place of the list; undefined if it is missing, empty or too long. @throws ApiError 400 */
  private readOutline(): ListPlace | undefined {
    const { depth, maxMembers: members, place } = outlineOf(this.bytes, this.list);
    if (depth > maxDepth || members > maxMembers) throw httpError.malformed();
    this.depthIsKnown = true;
    const [first, second] = place?.items ?? [];
    const isEmpty = first !== undefined && second === undefined && isBlank(this.bytes.subarray(...first));
    return isEmpty ? undefined : place;
  }

  /** Parses the body without the items, and adds them unless a later member of the same name replaces the list. */
  private withItems({ list: [from, to], items: ranges }: ListPlace): unknown {
    const { bytes, items } = this;
    const around = parsed(Buffer.concat([bytes.subarray(0, from), Buffer.from(`"${mark}"`), bytes.subarray(to)]));
    const { name } = this.list;
    const list = (around as Record<string, unknown>)[name];
    if (!Array.isArray(list) || list[0] !== mark) return around;
    this.itemRanges = ranges;
    return Object.assign(around as object, { [name]: items });
  }
}

/** Stands for the items of a list. It is random, so that no client can send it. */
const mark = randomUUID();

const isBlank = (bytes: Buffer): boolean => bytes.toString('latin1').trim() === '';

/** @throws ApiError 400 */
function parsed(bytes: Buffer): unknown {
  try {
    return parseText(bytes.toString('utf8'));
  } catch {
    throw httpError.malformed();
  }
}
