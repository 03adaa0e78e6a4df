import { markedAsRepeat, type OutgoingMessage, cutIntoSends } from '@sluice/kafka';

/** Messages of counts that Kafka has not acknowledged yet. Only `isEmpty` decides whether new ones may be added. */
export class UnsentCounts {
  private messages: OutgoingMessage[] = [];

  get isEmpty(): boolean {
    return this.messages.length === 0;
  }

  get size(): number {
    return this.messages.length;
  }

  add(messages: readonly OutgoingMessage[]): void {
    this.messages.push(...messages);
  }

  /**
   * Sends the first messages, as many as fit into a send, and forgets exactly those once they are acknowledged: others
   * may have been added since. After a failure they stay as they were, marked, because Kafka may have them already.
   * There may be one call at a time.
   * @returns false when they are not acknowledged
   */
  async send(send: (messages: readonly OutgoingMessage[]) => Promise<void>): Promise<boolean> {
    const part = cutIntoSends(this.messages)[0] ?? [];
    if (part.length === 0) return true;
    try {
      await send(part);
      this.messages.splice(0, part.length);
      return true;
    } catch {
      const repeats = part.map((message) => ({ ...message, headers: markedAsRepeat(message.headers) }));
      this.messages.splice(0, part.length, ...repeats);
      return false;
    }
  }
}
