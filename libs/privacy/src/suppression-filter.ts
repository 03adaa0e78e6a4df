import { blankContract, header, refusedMessageTopic, refusedTopic } from '@sluice/contracts';
import { headerText, type MessageFilter, type StoredMessage, valueLength } from '@sluice/kafka';
import { type PrivacyMetrics } from './privacy-metrics.js';
import { type SuppressionReader } from './reader.js';
import { RowIds } from './row-ids.js';

/**
 * Leaves messages of suppressed people out of what a consumer stores, whatever brought them into the topic: a replay, an
 * old spool, or a gateway that did not know yet. Few rows are parsed: see `RowIds`.
 */
export class SuppressionFilter implements MessageFilter {
  /** Messages that were left out of an array of messages: they stay out when the array is stored again. */
  private readonly leftOut = new WeakMap<readonly StoredMessage[], Set<StoredMessage>>();
  private readonly ids: RowIds;

  /** @param keyedByPerson names of the topics whose Kafka key is `source:userId`, or `source:anonymousId` without one */
  constructor(
    private readonly reader: SuppressionReader,
    private readonly keyedByPerson: ReadonlySet<string>,
    private readonly metrics?: PrivacyMetrics,
  ) {
    this.ids = new RowIds(reader.registry);
  }

  ready(): Promise<void> {
    return this.reader.assertUpToDate();
  }

  stop(): Promise<void> {
    return this.reader.stop();
  }

  messagesToStore(topic: string, messages: readonly StoredMessage[]): readonly StoredMessage[] {
    const droppedBefore = this.leftOut.get(messages);
    const hasNoSuppressions = this.reader.registry.size === 0;
    const droppedMessages = new Set(droppedBefore);
    for (const message of messages) {
      if (droppedBefore?.has(message)) continue;
      if (valueLength(message) === 0 ? isBlank(message) : !hasNoSuppressions && this.isDropped(topic, message))
        droppedMessages.add(message);
    }
    if (droppedMessages.size === 0) return messages;
    this.leftOut.set(messages, droppedMessages);
    return messages.filter((message) => !droppedMessages.has(message));
  }

  /** Whether a message of the topic is of someone who is suppressed. Does not count it. */
  drops(topic: string, message: Pick<StoredMessage, 'key' | 'value' | 'timestamp'>): boolean {
    return this.findSource(topic, message) !== undefined;
  }

  private isDropped(topic: string, message: StoredMessage): boolean {
    const source = this.findSource(topic, message);
    if (source !== undefined) this.metrics?.countDropped(source);
    return source !== undefined;
  }

  /** The source of a message that is dropped; undefined when it is not. */
  private findSource(topic: string, message: Pick<StoredMessage, 'key' | 'value' | 'timestamp'>): string | undefined {
    if (topic === refusedTopic.name) return this.ids.findSourceOfBody(message);
    const source = this.ids.findSuppressedSource(topic, message, this.keyedByPerson.has(topic));
    return source === undefined && topic === refusedMessageTopic.name ? this.ids.findSourceOfBody(message) : source;
  }
}

/** Whether an empty message is a blank one. Empty messages of any other contract become dead letters. */
const isBlank = (message: StoredMessage): boolean => headerText(message, header.contract) === blankContract;
