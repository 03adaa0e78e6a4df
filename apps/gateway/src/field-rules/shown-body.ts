import { IdentifyMessage, isObject, parseText, SegmentEvent, TrackMessage } from '@sluice/contracts';
import { type MessageRules } from '@sluice/messages';
import { type SourceRules } from '../request/accepts.js';

/** Types of messages that have fields with rules. */
const ruled: readonly object[] = [TrackMessage, IdentifyMessage, SegmentEvent];
/** Bytes of a body that a sample shows. */
const shownBytes = 8_192;
/** Bytes above which a body with rules is left out, because it would have to be parsed again. */
const maxReadBytes = 65_536;

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
  if (rules === undefined || !ruled.includes(message)) return beginningOf(body);
  if (body.length > maxReadBytes) return '';
  try {
    const kept = keptOf(parseText(body.toString('utf8')), isSegment, rules);
    return kept === undefined ? '' : beginningOf(Buffer.from(JSON.stringify(kept)));
  } catch {
    return '';
  }
}

const beginningOf = (body: Buffer): string => body.subarray(0, shownBytes).toString('utf8');

/** Returns undefined when nothing may be kept. */
function keptOf(value: unknown, isSegment: boolean, rules: MessageRules): unknown {
  const name = isSegment ? 'batch' : 'list';
  if (!isObject(value) || !Array.isArray(value[name])) return rules.kept(value, isSegment);
  const { [name]: items, ...rest } = value;
  const shared = isObject(rest['context']) ? rest['context'] : {};
  const whole = (item: unknown): unknown => {
    const own = isObject(item) ? item['context'] : undefined;
    return isSegment && isObject(item) ? { ...item, context: isObject(own) ? { ...shared, ...own } : shared } : item;
  };
  const kept = (items as unknown[])
    .map((item) => rules.kept(whole(item), isSegment))
    .filter((one) => one !== undefined);
  return kept.length === 0 ? undefined : { [name]: kept };
}
