import { type FreeForm, IdentifyMessage, isObject, parseText, SegmentEvent, TrackMessage } from '@sluice/contracts';
import { type MessageRules, type MessageType, buildMessageSchema } from '@sluice/messages';
import { type SourceRules } from '../request/accepts.js';

/** Types of messages that have fields with rules. */
const ruledTypes: readonly object[] = [TrackMessage, IdentifyMessage, SegmentEvent];
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
  if (rules === undefined) return cutBody(body);
  if (body.length > maxReadBytes) return '';
  try {
    if (!ruledTypes.includes(message)) return cutJson(pickFields(message, parseText(body.toString('utf8'))));
    return applyRules(parseText(body.toString('utf8')), isSegment, rules);
  } catch {
    return '';
  }
}

const inWord = /[\w%+/=:-]/;

/** Cuts a body to the shown length. A cut body ends before a word, because no part of a key has the form of one. */
function cutBody(body: Buffer): string {
  const text = body.subarray(0, shownBytes).toString('utf8');
  if (body.length <= shownBytes) return text;
  let end = text.length;
  while (end > 0 && inWord.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/** The fields of a message without rules: what else was sent may be a message with rules, sent to a wrong endpoint. */
function pickFields(message: MessageType, value: unknown): unknown {
  const { properties } = buildMessageSchema(message);
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(properties, name)));
}

/** The beginning of a body without what the rules leave out; empty when nothing may be kept. */
function applyRules(value: unknown, isSegment: boolean, rules: MessageRules): string {
  const name = isSegment ? 'batch' : 'list';
  if (!isObject(value) || !Array.isArray(value[name])) return cutJson(rules.applyToRefused(value, isSegment));
  const { [name]: items, context } = value;
  const shared = isObject(context) ? context : {};
  const texts: string[] = [];
  let length = 0;
  for (const item of (items as unknown[]).slice(0, maxReadItems)) {
    const storable = rules.applyToRefused(isSegment ? withContext(item, shared) : item, isSegment);
    if (storable === undefined) continue;
    const text = JSON.stringify(storable);
    texts.push(text);
    length += text.length;
    // No more is shown. Each item gets the context of its batch: all of them could become hundreds of megabytes.
    if (length > shownBytes) break;
  }
  return texts.length === 0 ? '' : cutBody(Buffer.from(`{"${name}":[${texts.join()}]}`));
}

const cutJson = (storable: unknown): string =>
  storable === undefined ? '' : cutBody(Buffer.from(JSON.stringify(storable)));

/** Adds the context that an item of a batch shares with the others. */
function withContext(item: unknown, shared: FreeForm): unknown {
  if (!isObject(item)) return item;
  const { context: itemContext } = item;
  return { ...item, context: isObject(itemContext) ? { ...shared, ...itemContext } : shared };
}
