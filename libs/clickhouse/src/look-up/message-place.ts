import { parseDateTime } from '@sluice/contracts';
import { GatewayRow } from './gateway-row.js';
import { repeatBucket } from './repeat-bucket.js';
import { type MessagePlace, type MessageIdentity } from '../rows/message-identity.js';

const idMember = Buffer.from('"message_id":"');
const uuidLength = 36;
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The message id in the bytes of a finished row, in lower case; undefined when there is none. The first match is the
 * row's own: the gateway writes it before any member of the client, and quotes within JSON text are escaped.
 */
export function readMessageId(value: Buffer): string | undefined {
  const index = value.indexOf(idMember);
  if (index < 0) return undefined;
  const start = index + idMember.length;
  const id = value.toString('latin1', start, start + uuidLength);
  return isUuid.test(id) ? id.toLowerCase() : undefined;
}

const gatewayRow = new GatewayRow();

/** Reads a row of `events` or `identifies`. */
export const readMessage = (value: Buffer): MessageIdentity => gatewayRow.readTracked(value) ?? parseMessage(value);

/** Reads a row of `ad_requests` or `refused_messages`, which are looked up by the time of their arrival. */
export const readArrivedMessage = (value: Buffer): MessageIdentity =>
  gatewayRow.readArrived(value) ?? { id: readMessageId(value), place: findArrivalPlace(parseMembers(value)) };

/** Parses a row of `events` or `identifies`, for rows that `GatewayRow` does not read. */
export const parseMessage = (value: Buffer): MessageIdentity => ({
  id: readMessageId(value),
  place: findPersonPlace(parseMembers(value)),
});

function findPersonPlace(members: Members | undefined): MessagePlace | undefined {
  if (!members) return undefined;
  const [sourceId, userId, anonymousId, timestamp, receivedAt] = [
    readText(members.source_id),
    readText(members.user_id ?? ''),
    readText(members.anonymous_id ?? ''),
    readText(members.timestamp),
    readText(members.received_at),
  ];
  if (sourceId === undefined || userId === undefined || anonymousId === undefined) return undefined;
  if (timestamp === undefined || receivedAt === undefined) return undefined;
  const minute = parseMinute(timestamp);
  if (minute === undefined) return undefined;
  const bucket = repeatBucket(Buffer.from(`${sourceId}:${userId === '' ? anonymousId : userId}`));
  return { bucket, sourceId, minute, hasOwnTime: isOtherTime(timestamp, receivedAt) };
}

function findArrivalPlace(members: Members | undefined): MessagePlace | undefined {
  const [sourceId, receivedAt] = [readText(members?.source_id), readText(members?.received_at)];
  const minute = receivedAt === undefined ? undefined : parseMinute(receivedAt);
  return sourceId === undefined || minute === undefined ? undefined : { sourceId, minute, hasOwnTime: false };
}

interface Members {
  readonly source_id?: unknown;
  readonly user_id?: unknown;
  readonly anonymous_id?: unknown;
  readonly timestamp?: unknown;
  readonly received_at?: unknown;
}

function parseMembers(value: Buffer): Members | undefined {
  try {
    return JSON.parse(value.toString()) as Members;
  } catch {
    return undefined;
  }
}

const readText = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);

const minuteMs = 60_000;

function parseMinute(time: string): number | undefined {
  const ms = parseDateTime(time);
  return ms >= 0 ? Math.floor(ms / minuteMs) : undefined;
}

/** True when two texts are different times. Texts of the same length have the same form and need no parsing. */
const isOtherTime = (time: string, otherTime: string): boolean =>
  time !== otherTime && (time.length === otherTime.length || parseDateTime(time) !== parseDateTime(otherTime));
