import { type FreeForm, IdentifyMessage, isObject, parseText, SegmentEvent, TrackMessage } from '@sluice/contracts';
import { type MessageRules, type MessageType, schemaOf } from '@sluice/messages';
import { type SourceRules } from '../request/accepts.js';

/** Types of messages that have fields with rules. */
const ruled: readonly object[] = [TrackMessage, IdentifyMessage, SegmentEvent];
/** Bytes of a body that a sample shows. */
const shownBytes = 8_192;
/** Bytes above which a body with rules is left out, because it would have to be parsed again. */
const maxReadBytes = 65_536;
/** Upper bound of the items that are read for a sample. */
const maxReadItems = 100;

/**
 * Returns the beginning of the body of a refused request, as a sample may show it; empty when the rules keep nothing,
 * or cannot be applied because the body is too long or not JSON.
 * @param rules those of the source; undefined when it has none
 */
export function shownBody(
  body: Buffer,
  { message, isSegment = false }: SourceRules,
  rules: MessageRules | undefined,
): string {
  if (rules === undefined) return beginningOf(body);
  if (body.length > maxReadBytes) return '';
  try {
    if (!ruled.includes(message)) return beginningOfJson(fieldsOf(message, parseText(body.toString('utf8'))));
    return keptText(parseText(body.toString('utf8')), isSegment, rules);
  } catch {
    return '';
  }
}

const beginningOf = (body: Buffer): string => body.subarray(0, shownBytes).toString('utf8');

/** The fields of a message without rules: what else was sent may be a message with rules, sent to a wrong endpoint. */
function fieldsOf(message: MessageType, value: unknown): unknown {
  const { properties } = schemaOf(message);
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(properties, name)));
}

/** The beginning of a body without what the rules leave out; empty when nothing may be kept. */
function keptText(value: unknown, isSegment: boolean, rules: MessageRules): string {
  const name = isSegment ? 'batch' : 'list';
  if (!isObject(value) || !Array.isArray(value[name])) return beginningOfJson(rules.kept(value, isSegment));
  const { [name]: items, context } = value;
  const shared = isObject(context) ? context : {};
  const texts: string[] = [];
  let length = 0;
  for (const item of (items as unknown[]).slice(0, maxReadItems)) {
    const kept = rules.kept(isSegment ? withContext(item, shared) : item, isSegment);
    if (kept === undefined) continue;
    const text = JSON.stringify(kept);
    texts.push(text);
    length += text.length;
    // No more is shown. Each item gets the context of its batch: all of them could become hundreds of megabytes.
    if (length > shownBytes) break;
  }
  return texts.length === 0 ? '' : beginningOf(Buffer.from(`{"${name}":[${texts.join()}]}`));
}

const beginningOfJson = (kept: unknown): string =>
  kept === undefined ? '' : beginningOf(Buffer.from(JSON.stringify(kept)));

/** An item with the context of its batch, as its message would have it. */
function withContext(item: unknown, shared: FreeForm): unknown {
  if (!isObject(item)) return item;
  const { context: own } = item;
  return { ...item, context: isObject(own) ? { ...shared, ...own } : shared };
}
