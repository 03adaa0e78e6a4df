import { setTimeout as sleep } from 'node:timers/promises';
import { FinalError } from '@sluice/contracts';
import { type Block, type BlockHandler, halves, type Refusal } from './block.js';

const firstPauseMs = 200;
const longestPauseMs = 10_000;

export interface Attempts {
  /** Called before each pause, with what went wrong. */
  onRetry: (error: unknown, pauseMs: number) => void;
  signal: AbortSignal;
}

/**
 * Stores a block, whatever it takes: a failure of the moment is tried again until it passes; a block that is refused
 * for its content is cut in halves until the bad messages stand alone. Returns the refused messages.
 * @throws only when aborted.
 */
export async function storeBlock(block: Block, handler: BlockHandler, attempts: Attempts): Promise<Refusal[]> {
  for (let failures = 0; ; failures++) {
    try {
      return await handler(block);
    } catch (error) {
      if (error instanceof FinalError) return cut(block, error, handler, attempts);
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2);
      attempts.onRetry(error, Math.round(pauseMs));
      await sleep(pauseMs, undefined, { signal: attempts.signal });
    }
  }
}

async function cut(block: Block, error: FinalError, handler: BlockHandler, attempts: Attempts): Promise<Refusal[]> {
  const [only] = block.messages;
  if (only && block.messages.length === 1) return [{ message: only, reason: error.message }];
  const [left, right] = halves(block);
  return [...(await storeBlock(left, handler, attempts)), ...(await storeBlock(right, handler, attempts))];
}
