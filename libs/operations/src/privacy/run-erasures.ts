import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError, reasonOf, ServerUnreachableError } from '../operation-error.js';
import { type Erasure } from './erasure.js';
import { ErasureBatches } from './erasure-batch.js';
import { Eraser, type ErasureWorld, isReady } from './eraser.js';

export interface RunOptions {
  /** Only these erasures; all open ones by default. */
  readonly requests?: readonly string[];
  /** Time for which ready erasures wait for the others, so that one batch deletes them all. */
  readonly gatherMs?: number;
  /** Time after which it ends, whatever is open. */
  readonly maxMs?: number;
  readonly pauseMs?: number;
  readonly say?: (text: string) => void;
}

/** Whether there is still work to do on an erasure before it only waits for Kafka and backups. */
export const isOpen = ({ state }: Pick<Erasure, 'state'>): boolean => state !== 'waiting' && state !== 'closed';

/**
 * Continues erasures until each waits for Kafka, or the time is over. Safe to repeat and to interrupt anywhere: each
 * state is durable before the next begins. @returns the erasures as they are then
 */
export async function runErasures(world: ErasureWorld, options: RunOptions = {}): Promise<Erasure[]> {
  const { requests, gatherMs = 60_000, maxMs = 60 * 60_000, pauseMs = 1_000, say = () => undefined } = options;
  const { store } = world;
  const [eraser, batches] = [new Eraser(world), new ErasureBatches(world)];
  const mine = (): Erasure[] => store.all().filter(({ request }) => requests?.includes(request) ?? true);
  const begunAt = performance.now();
  const waited = (): number => performance.now() - begunAt;
  let isWatched = false;
  for (let said = ''; ;) {
    let text: string;
    try {
      if (!isWatched) await batches.watch(mine().filter(({ state }) => state === 'waiting'));
      isWatched = true;
      await carryOn(mine(), { eraser, batches, mayLeave: waited() > gatherMs });
      const open = mine().filter(isOpen);
      if (open.length === 0 || waited() > maxMs) return mine();
      text = progressOf(open);
    } catch (error) {
      // A server that restarts is waited for; what an operator must change is not.
      const isFinal = error instanceof OperationError && !(error instanceof ServerUnreachableError);
      if (isFinal || waited() > maxMs) throw error;
      text = reasonOf(error);
    }
    if (text !== said) say(text);
    said = text;
    await sleep(pauseMs);
  }
}

interface Steps {
  readonly eraser: Eraser;
  readonly batches: ErasureBatches;
  /** Whether ready erasures go on without those that wait. */
  readonly mayLeave: boolean;
}

async function carryOn(erasures: readonly Erasure[], { eraser, batches, mayLeave }: Steps): Promise<void> {
  const prepared = await eraser.prepare(erasures.filter(isBeforeBatch));
  const ready = prepared.filter(isReady);
  const formed = ready.length > 0 && (mayLeave || ready.length === prepared.length) ? await batches.form(ready) : [];
  const deleting = [...erasures.filter(({ state }) => state === 'deleting'), ...formed];
  const verified = erasures.filter(({ state }) => state === 'verified');
  for (const members of Map.groupBy(deleting, ({ batch }) => batch).values()) {
    const carried = await batches.carryOn(members);
    verified.push(...carried.filter(({ state }) => state === 'verified'));
  }
  for (const one of verified) await batches.settle(one);
}

const isBeforeBatch = ({ state }: Erasure): boolean =>
  state === 'requested' || state === 'suppressed' || state === 'resolved' || state === 'barrier';

function progressOf(open: readonly Erasure[]): string {
  const [first] = open;
  const states = [...Map.groupBy(open, ({ state }) => state)].map(([state, those]) => `${those.length} ${state}`);
  return `${states.join(', ')}${first?.problem === undefined ? '' : `: ${first.problem}`}`;
}
