import { parseDateTime } from '@sluice/contracts';
import { GatewayRow } from './gateway-row.js';
import { bucketOf } from './repeat-bucket.js';
import { type MessagePlace, type RowMessage } from '../rows/row-message.js';

const idMember = Buffer.from('"message_id":"');
const uuidLength = 36;
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The message id in the bytes of a finished row, in lower case; undefined when there is none. The first match is the
 * row's own: the gateway writes it before any member of the client, and quotes within JSON text are escaped.
 */
export function messageIdOf(value: Buffer): string | undefined {
  const at = value.indexOf(idMember);
  if (at < 0) return undefined;
  const start = at + idMember.length;
  const id = value.toString('latin1', start, start + uuidLength);
  return isUuid.test(id) ? id.toLowerCase() : undefined;
}

const gatewayRow = new GatewayRow();

/** Reads a row of `events` or `identifies`. */
export const messageOf = (value: Buffer): RowMessage => gatewayRow.tracked(value) ?? parsedMessageOf(value);

/** Reads a row of `ad_requests` or `refused_messages`, which are looked up by the time of their arrival. */
export const arrivedMessageOf = (value: Buffer): RowMessage =>
  gatewayRow.arrived(value) ?? { id: messageIdOf(value), place: arrivalPlaceOf(parsed(value)) };

/** Parses a row of `events` or `identifies`, for rows that `GatewayRow` does not read. */
export const parsedMessageOf = (value: Buffer): RowMessage => ({
  id: messageIdOf(value),
  place: personPlaceOf(parsed(value)),
});

function personPlaceOf(members: Members | undefined): MessagePlace | undefined {
  if (!members) return undefined;
  const [sourceId, userId, anonymousId, timestamp, receivedAt] = [
    textOf(members.source_id),
    textOf(members.user_id ?? ''),
    textOf(members.anonymous_id ?? ''),
    textOf(members.timestamp),
    textOf(members.received_at),
  ];
  if (sourceId === undefined || userId === undefined || anonymousId === undefined) return undefined;
  if (timestamp === undefined || receivedAt === undefined) return undefined;
  const minute = minuteOf(timestamp);
  if (minute === undefined) return undefined;
  const bucket = bucketOf(Buffer.from(`${sourceId}:${userId === '' ? anonymousId : userId}`));
  return { bucket, sourceId, minute, hasOwnTime: isOtherTime(timestamp, receivedAt) };
}

function arrivalPlaceOf(members: Members | undefined): MessagePlace | undefined {
  const [sourceId, receivedAt] = [textOf(members?.source_id), textOf(members?.received_at)];
  const minute = receivedAt === undefined ? undefined : minuteOf(receivedAt);
  return sourceId === undefined || minute === undefined ? undefined : { sourceId, minute, hasOwnTime: false };
}

interface Members {
  readonly source_id?: unknown;
  readonly user_id?: unknown;
  readonly anonymous_id?: unknown;
  readonly timestamp?: unknown;
  readonly received_at?: unknown;
}

function parsed(value: Buffer): Members | undefined {
  try {
    return JSON.parse(value.toString()) as Members;
  } catch {
    return undefined;
  }
}

const textOf = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);

const minuteMs = 60_000;

function minuteOf(time: string): number | undefined {
  const ms = parseDateTime(time);
  return ms >= 0 ? Math.floor(ms / minuteMs) : undefined;
}

/** Whether two texts are different times. Texts of the same length have the same form and need no parsing. */
const isOtherTime = (one: string, other: string): boolean =>
  one !== other && (one.length === other.length || parseDateTime(one) !== parseDateTime(other));
