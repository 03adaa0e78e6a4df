import { type Consumer } from '@sluice/kafkajs';

/**
 * Ends the process when kafkajs has stopped the consumer for good, by an error thrown outside any promise. The
 * supervisor starts the process again.
 */
export function endOnCrash(consumer: Consumer): void {
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart) return;
    setImmediate(() => {
      throw new Error('kafkajs stopped a consumer', { cause: error });
    });
  });
}
