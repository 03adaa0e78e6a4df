// Takes the place of kafkajs/src/consumer/consumerGroup.js.
import { type createRequire } from 'node:module';
import { replaceModule } from './replace-module.js';

/** Methods of kafkajs' consumer group that its runner calls. */
export interface ConsumerGroup {
  joinAndSync(): Promise<void>;
  fetch(nodeId: unknown): Promise<unknown>;
}
/** kafkajs' class or one that extends it; TypeScript requires `any[]` for a class that is extended. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type ConsumerGroupClass = new (...args: any[]) => ConsumerGroup;

/** Kafka's code of REBALANCE_IN_PROGRESS, which kafkajs' runner answers with a join. */
const rebalanceInProgress = 27;

/**
 * Makes a member that could not join try again. kafkajs gives up a join at errors such as "the coordinator is loading",
 * and its runner then goes on fetching under the former generation. When the coordinator still knows that generation,
 * nothing ever makes the member join: it fetches for ever, and no one stores what it fetches.
 */
export function replaceConsumerGroup(require: ReturnType<typeof createRequire>): void {
  const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
    createErrorFromCode: (code: number) => Error;
  };
  replaceModule<ConsumerGroupClass>(require, 'kafkajs/src/consumer/consumerGroup.js', (original) =>
    extendWithRejoin(original, () => createErrorFromCode(rebalanceInProgress)),
  );
}

/** @param rebalanceError makes the error that a fetch throws while a join is owed. */
function extendWithRejoin(original: ConsumerGroupClass, rebalanceError: () => Error): ConsumerGroupClass {
  return class extends original {
    /** True from a join that failed until the next one begins. */
    private owesJoin = false;

    override async joinAndSync(): Promise<void> {
      this.owesJoin = false;
      try {
        await super.joinAndSync();
      } catch (error) {
        this.owesJoin = true;
        throw error;
      }
    }

    override async fetch(nodeId: unknown): Promise<unknown> {
      if (this.owesJoin) throw rebalanceError();
      return super.fetch(nodeId);
    }
  };
}
