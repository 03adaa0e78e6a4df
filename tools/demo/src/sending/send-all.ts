import { type Call } from '../call.js';
import { type Gateway } from './gateway.js';
import { InFlight } from './in-flight.js';
import { Pace } from './pace.js';
import { sizeOf } from './tally.js';

const requestsAtOnce = 16;

/** Sends the requests in order at the given rate, several at a time. Resolves when the last one is accepted. */
export async function sendAll(
  steps: AsyncIterable<readonly Call[]>,
  gateway: Gateway,
  messagesPerSecond: number | undefined,
): Promise<void> {
  const pace = new Pace(messagesPerSecond);
  const inFlight = new InFlight(requestsAtOnce);
  try {
    for await (const calls of steps) {
      for (const call of calls) {
        await pace.wait(sizeOf(call));
        await inFlight.begin(() => gateway.send(call));
      }
    }
  } finally {
    await inFlight.settle();
  }
}
