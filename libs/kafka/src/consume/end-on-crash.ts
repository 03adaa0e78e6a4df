import { type Consumer } from '@sluice/kafkajs';

/**
 * A consumer that kafkajs has stopped for good stays stopped while the process lives. Thrown outside any promise, this
 * ends the process, and its supervisor starts it again.
 */
export function endOnCrash(consumer: Consumer): void {
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart) return;
    setImmediate(() => {
      throw new Error('kafkajs stopped a consumer', { cause: error });
    });
  });
}
