import { type Consumer } from '@sluice/kafkajs';

/**
 * Throws outside any promise when kafkajs has stopped the consumer for good. This ends the process, and its supervisor
 * starts it again.
 */
export function endOnCrash(consumer: Consumer): void {
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart) return;
    setImmediate(() => {
      throw new Error('kafkajs stopped a consumer', { cause: error });
    });
  });
}
