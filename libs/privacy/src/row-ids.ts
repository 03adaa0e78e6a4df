import { hashKey, identifyTopic, isObject, trackTopic } from '@sluice/contracts';
import { type StoredMessage } from '@sluice/kafka';
import { groupEvent, readIds } from './message-ids.js';
import { type SuppressionRegistry } from './registry.js';

type Message = Pick<StoredMessage, 'key' | 'value' | 'timestamp'>;

const sourceMember = Buffer.from('{"source_id":"');
const userMember = Buffer.from('"user_id":"');
const anonymousMember = Buffer.from('"anonymous_id":"');
const profileMember = Buffer.from('"profile_id":"');
const eventMember = Buffer.from('"event":"');
const groupValue = Buffer.from(`${groupEvent}"`);
/** The source, and the ids and times that every row has, stand before the event. */
const minEventStart = sourceMember.length;
const bodyMember = Buffer.from('"body":"');
const sourceLength = 12;
const [quote, backslash, colon] = [...Buffer.from('"\\:')] as [number, number, number];
/** Upper bound of source and id together, in bytes: an id has 256 characters of at most four bytes. */
const maxKeyLength = 1_100;

/**
 * Finds rows of suppressed people by the hashes of their Kafka keys, which it computes from the bytes of a row. A
 * row is parsed only if its hash is known, or hidden by an escape or an unusual form. Rows are as gateways write them:
 * no space between a member and its value, and the row's own ids before those in the client's free-form members.
 */
export class RowIds {
  private readonly key = Buffer.alloc(maxKeyLength);

  constructor(private readonly registry: SuppressionRegistry) {}

  /** The source of a message that is suppressed; undefined when it is not. */
  findSuppressedSource(topic: string, message: Message, isKeyedByPerson: boolean): string | undefined {
    const { key, value } = message;
    if (!value || value.length === 0) return undefined;
    const isCandidate =
      isKeyedByPerson && key ? this.mayKeyBeSuppressed(topic, key, value) : this.mayRowBeSuppressed(value);
    return isCandidate ? this.confirmSource(topic, message, value) : undefined;
  }

  /**
   * The source of a row, such as a sample of refused requests, whose body names someone who is suppressed. Rows of sources
   * without suppressions are not parsed.
   */
  findSourceOfBody({ value }: Pick<Message, 'value'>): string | undefined {
    if (!value?.includes(bodyMember) || !this.mayHaveSuppressions(value)) return undefined;
    const { source_id: source, received_at: receivedAt, body } = parseRow(value) ?? {};
    if (typeof source !== 'string' || typeof receivedAt !== 'string' || typeof body !== 'string') return undefined;
    return this.registry.isAnyoneNamedIn(body, source, Date.parse(receivedAt)) ? source : undefined;
  }

  /**
   * The key holds the user id, or the anonymous id without one: the anonymous id of the row is left to check, which is the
   * former id of a user in an alias, and the id of a group.
   */
  private mayKeyBeSuppressed(topic: string, key: Buffer, value: Buffer): boolean {
    const { keyHashes } = this.registry;
    if (keyHashes.has(hashKey(key))) return true;
    const isAnonymousChecked = keyHashes.anonymousCount > 0 || topic === identifyTopic.name;
    if (isAnonymousChecked && this.mayHoldSuppressedId(value, anonymousMember, key, 0)) return true;
    return topic === trackTopic.name && isGroupEvent(value) && this.mayHaveSuppressions(value);
  }

  private mayRowBeSuppressed(value: Buffer): boolean {
    const sourceOffset = sourceMember.length;
    if (!value.subarray(0, sourceOffset).equals(sourceMember)) return true;
    if (
      this.mayHoldSuppressedId(value, userMember, value, sourceOffset) ||
      this.mayHoldSuppressedId(value, profileMember, value, sourceOffset)
    )
      return true;
    return (
      this.registry.keyHashes.anonymousCount > 0 &&
      this.mayHoldSuppressedId(value, anonymousMember, value, sourceOffset)
    );
  }

  /** False when the row's source has no suppressions. A source that is not known may have some. */
  private mayHaveSuppressions(value: Buffer): boolean {
    const from = sourceMember.length;
    const end = from + sourceLength;
    if (!value.subarray(0, from).equals(sourceMember) || value[end] !== quote) return true;
    return this.registry.forSource(value.toString('latin1', from, end)) !== undefined;
  }

  /** Whether the first member of this name may hold a suppressed id of the source that `source` names at `offset`. */
  private mayHoldSuppressedId(value: Buffer, member: Buffer, source: Buffer, offset: number): boolean {
    const memberOffset = value.indexOf(member);
    if (memberOffset < 0) return false;
    const from = memberOffset + member.length;
    source.copy(this.key, 0, offset, offset + sourceLength);
    this.key[sourceLength] = colon;
    let end = sourceLength + 1;
    for (let i = from; i < value.length && end < maxKeyLength; i++) {
      const byte = value[i] ?? 0;
      if (byte === backslash) return true;
      if (byte === quote) return this.registry.keyHashes.has(hashKey(this.key, end));
      this.key[end++] = byte;
    }
    return true;
  }

  /** Parses the row. One that is not a row at all is judged by its key and by the time at which Kafka took it. */
  private confirmSource(topic: string, { key, timestamp }: Message, value: Buffer): string | undefined {
    const row = parseRow(value);
    const { source_id: source, received_at: receivedAt } = row ?? {};
    if (row && typeof source === 'string') {
      const time = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number(timestamp);
      return this.registry.drops(source, readIds(topic, row), time) ? source : undefined;
    }
    const [keySource = '', ...idParts] = (key ?? '').toString().split(':');
    const id = idParts.join(':');
    const isHit = [{ userId: id }, { anonymousId: id }].some((ids) =>
      this.registry.drops(keySource, ids, Number(timestamp)),
    );
    return isHit ? keySource : undefined;
  }
}

/**
 * Whether a row is an event of Segment's `group`: its own event stands before the client's free-form members. It makes no
 * object, because it is asked of every event.
 */
function isGroupEvent(value: Buffer): boolean {
  const start = value.indexOf(eventMember, minEventStart);
  if (start < 0) return false;
  for (let i = 0, index = start + eventMember.length; i < groupValue.length; i++, index++)
    if (value[index] !== groupValue[i]) return false;
  return true;
}

function parseRow(value: Buffer): Record<string, unknown> | undefined {
  try {
    const row: unknown = JSON.parse(value.toString());
    return isObject(row) ? row : undefined;
  } catch {
    return undefined;
  }
}
