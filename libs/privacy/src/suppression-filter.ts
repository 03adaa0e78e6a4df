import { blankContract, header, refusedTopic } from '@sluice/contracts';
import { headerOf, type MessageFilter, type StoredMessage, valueLengthOf } from '@sluice/kafka';
import { type PrivacyMetrics } from './privacy-metrics.js';
import { type SuppressionReader } from './reader.js';
import { RowIds } from './row-ids.js';

/**
 * Leaves messages of suppressed people out of what a consumer stores, whatever brought them into the topic: a replay, an
 * old spool, or a gateway that did not know yet. Few rows are parsed: see `RowIds`.
 */
export class SuppressionFilter implements MessageFilter {
  /** What was left out of an array of messages: it stays out when the array is stored again. */
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

  kept(topic: string, messages: readonly StoredMessage[]): readonly StoredMessage[] {
    const before = this.leftOut.get(messages);
    const hasNone = this.reader.registry.size === 0;
    const left = new Set(before);
    for (const message of messages) {
      if (before?.has(message)) continue;
      if (valueLengthOf(message) === 0 ? isBlank(message) : !hasNone && this.isDropped(topic, message))
        left.add(message);
    }
    if (left.size === 0) return messages;
    this.leftOut.set(messages, left);
    return messages.filter((message) => !left.has(message));
  }

  /** Whether a message of the topic is of someone who is suppressed. Does not count it. */
  drops(topic: string, message: Pick<StoredMessage, 'key' | 'value' | 'timestamp'>): boolean {
    return this.sourceOf(topic, message) !== undefined;
  }

  private isDropped(topic: string, message: StoredMessage): boolean {
    const source = this.sourceOf(topic, message);
    if (source !== undefined) this.metrics?.dropped(source);
    return source !== undefined;
  }

  /** The source of a message that is dropped; undefined when it is not. */
  private sourceOf(topic: string, message: Pick<StoredMessage, 'key' | 'value' | 'timestamp'>): string | undefined {
    if (topic === refusedTopic.name) return this.ids.suppressedSample(message);
    return this.ids.suppressedSource(message, this.keyedByPerson.has(topic));
  }
}

/** Whether an empty message is a blank one. Empty messages of any other contract become dead letters. */
const isBlank = (message: StoredMessage): boolean => headerOf(message, header.contract) === blankContract;
