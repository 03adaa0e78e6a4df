import { repeatBucket } from './repeat-bucket.js';
import { type MessageIdentity } from '../rows/message-identity.js';

const opening = Buffer.from('{"source_id":"');
const requestMember = Buffer.from('","request_id":"');
const arrivalMember = Buffer.from('","received_at":"');
const idMember = Buffer.from('","message_id":"');
const memberAfterId = Buffer.from('","');
const userMember = Buffer.from('user_id":"');
const anonymousMember = Buffer.from('anonymous_id":"');
const timestampMember = Buffer.from('timestamp":"');
const userName = Buffer.from('user_id');
/** Another producer may write the name of a member with this escape. */
const unicodeEscape = Buffer.from('\\u');

const [quote, backslash, comma, brace, hyphen, colon] = [...Buffer.from('"\\,}-:')] as Codes;
type Codes = [number, number, number, number, number, number];
const uuidLength = 36;
const timeLength = 24;
/** Upper bound of source and person together, in bytes. Rows with longer ones go to the parser. */
const maxKeyLength = 256;

/**
 * Reads rows whose bytes are exactly as this version of the gateway writes them, without allocating per member: a
 * service that consumes a backlog of possible repeats spends most of its time here. The result is that of parsing, or
 * undefined for every other row, which message-place.ts then parses.
 */
export class GatewayRow {
  private position = 0;
  private source = '';
  private readonly sourceBytes = Buffer.alloc(maxKeyLength);
  private readonly key = Buffer.alloc(maxKeyLength);
  /** Views of `key` by length, reused: creating a view for each row costs more than hashing it. */
  private readonly keys: Buffer[] = [];

  /** Reads a row of `events` or `identifies`. */
  readTracked(value: Buffer): MessageIdentity | undefined {
    const head = this.readHead(value);
    if (!head) return undefined;
    const keyLength = this.readPerson(value);
    if (keyLength === 0 || !this.passes(value, timestampMember)) return undefined;
    const timeAt = this.position;
    const end = value[timeAt + timeLength + 1];
    if (value[timeAt + timeLength] !== quote || (end !== comma && end !== brace)) return undefined;
    const minute = minuteAt(value, timeAt);
    if (minute === undefined) return undefined;
    const key = (this.keys[keyLength] ??= this.key.subarray(0, keyLength));
    const hasOwnTime = !isEqual(value, timeAt, head.arrivalAt, timeLength);
    return { id: head.id, place: { bucket: repeatBucket(key), sourceId: this.source, minute, hasOwnTime } };
  }

  /** Reads a row of `ad_requests` or `refused_messages`. */
  readArrived(value: Buffer): MessageIdentity | undefined {
    const head = this.readHead(value);
    const minute = head && minuteAt(value, head.arrivalAt);
    if (minute === undefined) return undefined;
    return { id: head?.id, place: { sourceId: this.source, minute, hasOwnTime: false } };
  }

  /** Reads the members that every row begins with, and stops at the name of the member after the message id. */
  private readHead(value: Buffer): { readonly id: string; readonly arrivalAt: number } | undefined {
    this.position = 0;
    if (!this.passes(value, opening)) return undefined;
    const sourceAt = this.position;
    const sourceLength = this.textLength(value);
    if (sourceLength < 0 || !this.passes(value, requestMember) || !isUuid(value, this.position)) return undefined;
    this.position += uuidLength;
    if (!this.passes(value, arrivalMember)) return undefined;
    const arrivalAt = this.position;
    this.position += timeLength;
    if (minuteAt(value, arrivalAt) === undefined || !this.passes(value, idMember)) return undefined;
    const idAt = this.position;
    if (!isUuid(value, idAt)) return undefined;
    this.position += uuidLength;
    if (!this.passes(value, memberAfterId)) return undefined;
    if (!this.keepSource(value, sourceAt, sourceLength)) return undefined;
    return { id: value.toString('latin1', idAt, idAt + uuidLength), arrivalAt };
  }

  /** Writes the Kafka key of the row's person into `key` and returns its length; 0 for rows that need the parser. */
  private readPerson(value: Buffer): number {
    const isUser = this.passes(value, userMember);
    if (!isUser && !this.passes(value, anonymousMember)) return 0;
    const personAt = this.position;
    const length = this.textLength(value);
    if (length <= 0 || !this.passes(value, memberAfterId)) return 0;
    // Another producer may name the user later in the row.
    if (!isUser && (value.includes(userName, this.position) || value.includes(unicodeEscape, this.position))) return 0;
    if (isUser && this.passes(value, anonymousMember) && !this.passesText(value)) return 0;
    const keyLength = this.source.length + 1 + length;
    if (keyLength > maxKeyLength) return 0;
    let end = 0;
    for (; end < this.source.length; end++) this.key[end] = this.sourceBytes[end] ?? 0;
    this.key[end++] = colon;
    for (let i = personAt; end < keyLength; i++) this.key[end++] = value[i] ?? 0;
    return keyLength;
  }

  private passesText(value: Buffer): boolean {
    return this.textLength(value) >= 0 && this.passes(value, memberAfterId);
  }

  /** Skips the expected bytes if they come next; returns whether they do. */
  private passes(value: Buffer, expected: Buffer): boolean {
    const { position } = this;
    for (let i = 0; i < expected.length; i++) if (value[position + i] !== expected[i]) return false;
    this.position = position + expected.length;
    return true;
  }

  /** Skips a text up to its closing quote and returns its length; -1 for a text that has escapes or is too long. */
  private textLength(value: Buffer): number {
    const end = Math.min(this.position + maxKeyLength, value.length);
    for (let i = this.position; i < end; i++) {
      if (value[i] === backslash) return -1;
      if (value[i] === quote) {
        const length = i - this.position;
        this.position = i;
        return length;
      }
    }
    return -1;
  }

  /** Decodes the source, but only if it differs from that of the row before. Returns false unless it is ASCII. */
  private keepSource(value: Buffer, from: number, length: number): boolean {
    let isSame = this.source.length === length;
    for (let i = 0; isSame && i < length; i++) isSame = value[from + i] === this.sourceBytes[i];
    if (isSame) return true;
    for (let i = 0; i < length; i++) if ((value[from + i] ?? 0) > 0x7f) return false;
    value.copy(this.sourceBytes, 0, from, from + length);
    this.source = value.toString('latin1', from, from + length);
    return true;
  }
}

function isEqual(value: Buffer, start: number, otherStart: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (value[start + i] !== value[otherStart + i]) return false;
  return true;
}

/** Value of each lower-case hex digit by its byte; 0xff for all other bytes. */
const hexDigits = new Uint8Array(256).fill(0xff);
for (const [i, code] of [...Buffer.from('0123456789abcdef')].entries()) hexDigits[code] = i;

function isUuid(value: Buffer, start: number): boolean {
  if (start + uuidLength > value.length) return false;
  for (let i = 0; i < uuidLength; i++) {
    const code = value[start + i] ?? 0;
    const isHyphen = i === 8 || i === 13 || i === 18 || i === 23;
    if (isHyphen ? code !== hyphen : hexDigits[code] === 0xff) return false;
  }
  return true;
}

const timeForm = Buffer.from('0000-00-00T00:00:00.000Z');
const zero = timeForm[0] ?? 0;
/** A leap day is left to the parser. */
const daysOfMonths = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const minuteMs = 60_000;

/** Minutes since 1970 of a time like 2026-11-22T05:10:00.000Z. */
function minuteAt(value: Buffer, start: number): number | undefined {
  if (start + timeLength > value.length) return undefined;
  for (let i = 0; i < timeLength; i++) {
    const [code, form] = [value[start + i] ?? 0, timeForm[i] ?? 0];
    if (form === zero ? code < zero || code > zero + 9 : code !== form) return undefined;
  }
  const year = readTwoDigits(value, start) * 100 + readTwoDigits(value, start + 2);
  const [month, day] = [readTwoDigits(value, start + 5), readTwoDigits(value, start + 8)];
  const [hour, minute, second] = [
    readTwoDigits(value, start + 11),
    readTwoDigits(value, start + 14),
    readTwoDigits(value, start + 17),
  ];
  const isDay = year >= 1970 && year < 2200 && day >= 1 && day <= (daysOfMonths[month] ?? 0);
  if (!isDay || hour > 23 || minute > 59 || second > 59) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute) / minuteMs;
}

const readTwoDigits = (value: Buffer, start: number): number =>
  ((value[start] ?? 0) - zero) * 10 + (value[start + 1] ?? 0) - zero;
