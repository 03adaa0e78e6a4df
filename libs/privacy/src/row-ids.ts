import { hashOfKey, isObject } from '@sluice/contracts';
import { type StoredMessage } from '@sluice/kafka';
import { type SuppressionRegistry } from './registry.js';
import { type MessageIds } from './source-suppressions.js';

type Message = Pick<StoredMessage, 'key' | 'value' | 'timestamp'>;

const sourceMember = Buffer.from('{"source_id":"');
const userMember = Buffer.from('"user_id":"');
const anonymousMember = Buffer.from('"anonymous_id":"');
const profileMember = Buffer.from('"profile_id":"');
/** Beginning of a body that is not empty. */
const bodyMember = Buffer.from('"body":"{');
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
  suppressedSource(message: Message, isKeyedByPerson: boolean): string | undefined {
    const { key, value } = message;
    if (!value || value.length === 0) return undefined;
    const isCandidate = isKeyedByPerson && key ? this.mayBeKeyed(key, value) : this.mayBe(value);
    return isCandidate ? this.confirmed(message, value) : undefined;
  }

  /** The source of a sample of refused requests whose body names someone who is suppressed. There are few samples. */
  suppressedSample({ value }: Message): string | undefined {
    if (!value?.includes(bodyMember)) return undefined;
    const { source_id: source, received_at: receivedAt, body } = parsed(value) ?? {};
    if (typeof source !== 'string' || typeof receivedAt !== 'string' || typeof body !== 'string') return undefined;
    return this.registry.isNamedIn(body, source, Date.parse(receivedAt)) ? source : undefined;
  }

  /** The key holds the user id, or the anonymous id without one: only the anonymous id of the row is left to check. */
  private mayBeKeyed(key: Buffer, value: Buffer): boolean {
    const { keyHashes } = this.registry;
    if (keyHashes.has(hashOfKey(key))) return true;
    return keyHashes.anonymous > 0 && this.mayHold(value, anonymousMember, key, 0);
  }

  private mayBe(value: Buffer): boolean {
    const at = sourceMember.length;
    if (!value.subarray(0, at).equals(sourceMember)) return true;
    if (this.mayHold(value, userMember, value, at) || this.mayHold(value, profileMember, value, at)) return true;
    return this.registry.keyHashes.anonymous > 0 && this.mayHold(value, anonymousMember, value, at);
  }

  /** Whether the first member of this name may hold a suppressed id of the source that `source` names at `at`. */
  private mayHold(value: Buffer, member: Buffer, source: Buffer, at: number): boolean {
    const found = value.indexOf(member);
    if (found < 0) return false;
    const from = found + member.length;
    source.copy(this.key, 0, at, at + sourceLength);
    this.key[sourceLength] = colon;
    let end = sourceLength + 1;
    for (let i = from; i < value.length && end < maxKeyLength; i++) {
      const byte = value[i] ?? 0;
      if (byte === backslash) return true;
      if (byte === quote) return this.registry.keyHashes.has(hashOfKey(this.key, end));
      this.key[end++] = byte;
    }
    return true;
  }

  /** Parses the row. One that is not a row at all is judged by its key and by the time at which Kafka took it. */
  private confirmed({ key, timestamp }: Message, value: Buffer): string | undefined {
    const row = parsed(value);
    const { source_id: source, received_at: receivedAt } = row ?? {};
    if (row && typeof source === 'string') {
      const at = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number(timestamp);
      return this.registry.drops(source, idsOfRow(row), at) ? source : undefined;
    }
    const [keySource = '', ...rest] = (key ?? '').toString().split(':');
    const id = rest.join(':');
    const isHit = [{ userId: id }, { anonymousId: id }].some((ids) =>
      this.registry.drops(keySource, ids, Number(timestamp)),
    );
    return isHit ? keySource : undefined;
  }
}

const idsOfRow = (row: Readonly<Record<string, unknown>>): MessageIds => ({
  userId: textOf(row['user_id']),
  anonymousId: textOf(row['anonymous_id']),
  profileId: textOf(row['profile_id']),
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function parsed(value: Buffer): Record<string, unknown> | undefined {
  try {
    const row: unknown = JSON.parse(value.toString());
    return isObject(row) ? row : undefined;
  } catch {
    return undefined;
  }
}
