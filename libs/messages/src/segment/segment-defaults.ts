import { type FreeForm, isObject } from '@sluice/contracts';
import { keepStorable } from '../free-form.js';
import { hashName } from '../names/name-hash.js';
import { type Report } from '../report.js';
import { sentAtName } from '../sent-at.js';
import { type SegmentType } from './segment-type.js';

/** Upper bound of the characters of a `sentAt`; an ISO 8601 time has up to 35. */
const maxSentAtLength = 64;

/** Members that a request has for all its items. Its members are shared by the rows of thousands of items. */
export interface SegmentDefaults {
  /** The call of items that do not name theirs: the last segment of the path. */
  readonly type?: SegmentType | undefined;
  /** The batch's `context` as it is stored, with its `sentAt`; an item's own members override it. */
  readonly context?: FreeForm | undefined;
  /** The batch's `context` as sent, for items that are kept whole. */
  readonly sentContext?: FreeForm | undefined;
  readonly sentAt?: string | undefined;
  /** Bytes that the batch adds to each of its items, as JSON text. */
  readonly bytes: number;
}

/**
 * Reads the members that a batch has for all its items. They are shaped here, once: an item that has no context of its
 * own shares them. The report names what of them is not stored.
 */
export function batchDefaults({ context, sentAt }: FreeForm, report: Report): SegmentDefaults {
  const sentContext = isObject(context) ? context : undefined;
  const time = typeof sentAt === 'string' && sentAt.length <= maxSentAtLength ? sentAt : undefined;
  if (time === undefined && sentAt !== undefined && sentAt !== null)
    report.drop('sentAt', `must be text of at most ${maxSentAtLength} characters`);
  const storedContext = sentContext && keepStorable(sentContext, 'context', 'free', report, hashName('context'));
  return {
    context: time === undefined ? storedContext : { ...storedContext, [sentAtName]: time },
    sentContext,
    sentAt: time,
    bytes: countJsonBytes(sentContext) + countJsonBytes(time),
  };
}

const countJsonBytes = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
