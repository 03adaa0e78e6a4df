import { parseDateTime, partitionOf } from '@sluice/contracts';

/** The part of a table's order in which the copies of a row's message lie. */
export interface MessagePlace {
  /** `repeat_bucket` of the table; undefined in a table without it. */
  readonly bucket?: number;
  readonly sourceId: string;
  /** UTC, as `2026-11-22T05:10`; not checked to exist. */
  readonly minute: string;
  /** The client said when it took place, so all copies say the same; else the time is that of this copy's arrival. */
  readonly hasOwnTime: boolean;
}

/** A message as its row names it. */
export interface RowMessage {
  /** Message id in lower case; undefined when there is none. */
  readonly id: string | undefined;
  /** Undefined when it cannot be read from the bytes. */
  readonly place: MessagePlace | undefined;
}

/**
 * `repeat_bucket` divides the Kafka keys by Kafka's own hash, so that the rows of one Kafka partition lie in
 * `buckets / gcd(buckets, partitions)` of them. The buckets of one of 12 partitions, the default, have adjacent numbers.
 */
const buckets = 48;
const usualPartitions = 12;

function bucketOf(key: Buffer): number {
  const hash = partitionOf(key, buckets);
  return (hash % usualPartitions) * (buckets / usualPartitions) + Math.floor(hash / usualPartitions);
}

const idMember = Buffer.from('"message_id":"');
const uuidLength = 36;
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The message id in the bytes of a finished row, in lower case; undefined when there is none. The gateway writes it
 * before anything that a client chose, and within JSON text the quotes of another one would be escaped.
 */
export function messageIdOf(value: Buffer): string | undefined {
  const at = value.indexOf(idMember);
  if (at < 0) return undefined;
  const start = at + idMember.length;
  const id = value.toString('latin1', start, start + uuidLength);
  return isUuid.test(id) ? id.toLowerCase() : undefined;
}

/** Reads a row of `events` or `identifies`. */
export function messageOf(value: Buffer): RowMessage {
  const head = trackedHead.exec(headOf(value));
  return { id: idIn(value, head), place: personPlaceOf(value, head) };
}

/** Reads a row of `ad_requests`, whose only time is that of its arrival. */
export function arrivedMessageOf(value: Buffer): RowMessage {
  const head = arrivedHead.exec(headOf(value));
  return { id: idIn(value, head), place: arrivalPlaceOf(value, head) };
}

function idIn(value: Buffer, head: RegExpExecArray | null): string | undefined {
  const id = head?.[idGroup];
  return id === undefined ? messageIdOf(value) : id.toLowerCase();
}

function personPlaceOf(value: Buffer, head: RegExpExecArray | null): MessagePlace | undefined {
  const said = (head && membersInOrder(value, head)) ?? membersOf(value);
  if (!said) return undefined;
  const { sourceId, userId, anonymousId, timestamp, receivedAt, encoding } = said;
  const minute = minuteOf(timestamp);
  if (minute === undefined) return undefined;
  const key = Buffer.from(`${sourceId}:${userId === '' ? anonymousId : userId}`, encoding);
  return { bucket: bucketOf(key), sourceId, minute, hasOwnTime: isOtherTime(timestamp, receivedAt) };
}

function arrivalPlaceOf(value: Buffer, head: RegExpExecArray | null): MessagePlace | undefined {
  const members = head ? { source_id: head[1], received_at: head[2] } : parsed(value);
  const [sourceId, receivedAt] = [textOf(members?.source_id), textOf(members?.received_at)];
  const minute = receivedAt === undefined ? undefined : minuteOf(receivedAt);
  return sourceId === undefined || minute === undefined ? undefined : { sourceId, minute, hasOwnTime: false };
}

interface Members {
  readonly sourceId: string;
  readonly userId: string;
  readonly anonymousId: string;
  readonly timestamp: string;
  readonly receivedAt: string;
  /** Encoding by which the texts become the bytes that ClickHouse stores. */
  readonly encoding: 'latin1' | 'utf8';
}

/** Longer ids are read the slow way. */
const headLength = 1_024;
const userMember = Buffer.from('"user_id":');
const text = '"([^"\\\\]*)"';
const uuid = '"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"';
const arrival = `^\\{"source_id":${text},"request_id":"[^"\\\\]*","received_at":${text},"message_id":${uuid},`;
const idGroup = 3;
const arrivedHead = new RegExp(arrival);
const trackedHead = new RegExp(`${arrival}(?:"user_id":${text},)?(?:"anonymous_id":${text},)?"timestamp":${text}[,}]`);

/** The bytes in which the gateway's members are, one character each. */
const headOf = (value: Buffer): string => value.toString('latin1', 0, headLength);

/** Members in the order in which the gateway writes them: ten times as fast as parsing the whole row. */
function membersInOrder(value: Buffer, head: RegExpExecArray): Members | undefined {
  const [, sourceId = '', receivedAt = '', , userId = '', anonymousId = '', timestamp = ''] = head;
  // Another producer may name the person later in the row.
  if (userId === '' && (anonymousId === '' || value.includes(userMember))) return undefined;
  return { sourceId, receivedAt, userId, anonymousId, timestamp, encoding: 'latin1' };
}

/** Members of a row that another producer wrote, or with text that needs escapes. */
function membersOf(value: Buffer): Members | undefined {
  const members = parsed(value);
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
  return { sourceId, userId, anonymousId, timestamp, receivedAt, encoding: 'utf8' };
}

interface Parsed {
  readonly source_id?: unknown;
  readonly user_id?: unknown;
  readonly anonymous_id?: unknown;
  readonly timestamp?: unknown;
  readonly received_at?: unknown;
}

function parsed(value: Buffer): Parsed | undefined {
  try {
    return JSON.parse(value.toString()) as Parsed;
  } catch {
    return undefined;
  }
}

const textOf = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);

const inRowForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function minuteOf(time: string): string | undefined {
  if (inRowForm.test(time)) return time.slice(0, 16);
  const ms = parseDateTime(time);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 16);
}

/** Texts of one length are in one form. */
const isOtherTime = (one: string, other: string): boolean =>
  one !== other && (one.length === other.length || parseDateTime(one) !== parseDateTime(other));
