import { Injectable } from '@nestjs/common';
import { blankContract, hashKey, header, refusedMessageTopic, type RowOrigin } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import {
  PrivacyMetrics,
  readIds,
  type SourceSuppressions,
  SuppressionReader,
  topicsKeyedByPerson,
} from '@sluice/privacy';
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
  dropSuppressed(rows: readonly Outgoing[], messages: OutgoingMessage[], receivedAt: string): OutgoingMessage[] {
    const { registry } = this.reader;
    // The rows of a request share one source as a rule; its suppressions are looked up once.
    let suppressions: SourceSuppressions | undefined;
    let remaining: OutgoingMessage[] | undefined;
    let receivedTime: number | undefined;
    for (const [index, message] of messages.entries()) {
      const row = rows[index]?.row;
      if (!row) continue;
      if (suppressions?.source !== row.source_id) suppressions = registry.forSource(row.source_id);
      if (suppressions && this.isDropped(suppressions, row, message, (receivedTime ??= Date.parse(receivedAt)))) {
        remaining ??= messages.slice(0, index);
        this.metrics.countDropped(row.source_id);
      } else remaining?.push(message);
    }
    if (!remaining) return messages;
    const [first] = messages;
    return remaining.length > 0 || !first ? remaining : [makeBlank(first)];
  }

  /** Whether a text that a client sent to a source, JSON or not, names someone who is suppressed there. */
  isAnyoneNamedIn(text: string, source: string): boolean {
    return this.reader.registry.isAnyoneNamedIn(text, source, Date.now());
  }

  /** @param receivedAt milliseconds since 1970 */
  private isDropped(
    suppressions: SourceSuppressions,
    row: RowOrigin,
    message: OutgoingMessage,
    receivedAt: number,
  ): boolean {
    const { topic } = message;
    const ids = readIds(topic, row);
    let keyHash: number | undefined;
    if (topicsKeyedByPerson.has(topic)) {
      // The publisher reuses the bytes and their hash to find the partition.
      const bytes = Buffer.from(message.key);
      keyHash = hashKey(bytes);
      message.hashedKey = { bytes, hash: keyHash };
    }
    if (suppressions.drops(ids, receivedAt, keyHash)) return true;
    // A refused message has any shape: its ids may stand anywhere in its body.
    return (
      topic === refusedMessageTopic.name &&
      this.reader.registry.isAnyoneNamedIn(readBody(row), row.source_id, receivedAt)
    );
  }
}

const readBody = (row: RowOrigin & { readonly body?: string }): string => row.body ?? '';

/** A blank message, which consumers leave out: see blankContract. */
const makeBlank = ({ topic }: OutgoingMessage): OutgoingMessage => ({
  topic,
  key: newId(),
  value: '',
  headers: { [header.contract]: blankContract },
});
