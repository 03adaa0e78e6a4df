import { Injectable } from '@nestjs/common';
import { blankContract, hashOfKey, header, type RowOrigin } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { PrivacyMetrics, type SourceSuppressions, SuppressionReader, topicsKeyedByPerson } from '@sluice/privacy';
import { newId } from '../new-id.js';

/** A row that is ready to be published. */
interface Outgoing {
  readonly row: RowOrigin;
}

/** Drops the messages of suppressed people after every check, so that they get the same answers as everyone else. */
@Injectable()
export class SuppressedRows {
  constructor(
    private readonly reader: SuppressionReader,
    private readonly metrics: PrivacyMetrics,
  ) {}

  /**
   * Returns the messages to publish. When all are dropped, a blank one takes their place: an answer that did not
   * wait for Kafka would show that a person is suppressed.
   * @param messages those of the rows, in their order
   * @param receivedAt ISO 8601
   */
  without(rows: readonly Outgoing[], messages: OutgoingMessage[], receivedAt: string): OutgoingMessage[] {
    const { registry } = this.reader;
    // The rows of a request share one source as a rule; its suppressions are looked up once.
    let known: SourceSuppressions | undefined;
    let kept: OutgoingMessage[] | undefined;
    let at: number | undefined;
    for (const [index, message] of messages.entries()) {
      const row = rows[index]?.row;
      if (!row) continue;
      if (known?.source !== row.source_id) known = registry.of(row.source_id);
      if (known && isDropped(known, row, message, (at ??= Date.parse(receivedAt)))) {
        kept ??= messages.slice(0, index);
        this.metrics.dropped(row.source_id);
      } else kept?.push(message);
    }
    if (!kept) return messages;
    const [first] = messages;
    return kept.length > 0 || !first ? kept : [blankFor(first)];
  }

  /** Whether a text that a client sent to a source, JSON or not, names someone who is suppressed there. */
  areNamedIn(text: string, source: string): boolean {
    return this.reader.registry.isNamedIn(text, source, Date.now());
  }
}

/** Ids of people that a row can have. */
interface RowIds {
  readonly user_id?: string;
  readonly anonymous_id?: string;
  readonly profile_id?: string;
}

function isDropped(known: SourceSuppressions, row: RowOrigin, message: OutgoingMessage, receivedAt: number): boolean {
  const { user_id: userId, anonymous_id: anonymousId, profile_id: profileId } = row as RowIds;
  let keyHash: number | undefined;
  if (topicsKeyedByPerson.has(message.topic)) {
    // The publisher reuses the bytes and their hash to find the partition.
    const bytes = Buffer.from(message.key);
    keyHash = hashOfKey(bytes);
    message.hashedKey = { bytes, hash: keyHash };
    if (!known.hasAnonymous && !known.mayHold(keyHash)) return false;
  }
  return known.drops({ userId, anonymousId, profileId }, receivedAt, keyHash);
}

/** A blank message, which consumers leave out: see blankContract. */
const blankFor = ({ topic }: OutgoingMessage): OutgoingMessage => ({
  topic,
  key: newId(),
  value: '',
  headers: { [header.contract]: blankContract },
});
