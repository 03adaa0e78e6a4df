import { type ShopCall } from '../call.js';
import { type Gateway } from './gateway.js';
import { InFlight } from './in-flight.js';
import { MessagePace } from './pace.js';
import { countMessages } from './tally.js';

const requestsAtOnce = 16;

/** Sends the requests in order at the given rate, several at a time. Resolves when the last one is accepted. */
export async function sendAll(
  steps: AsyncIterable<readonly ShopCall[]>,
  gateway: Gateway,
  messagesPerSecond: number | undefined,
): Promise<void> {
  const pace = new MessagePace(messagesPerSecond);
  const inFlight = new InFlight(requestsAtOnce);
  try {
    for await (const calls of steps) {
      for (const call of calls) {
        await pace.wait(countMessages(call));
        await inFlight.begin(() => gateway.send(call));
      }
    }
  } finally {
    await inFlight.settle();
  }
}
