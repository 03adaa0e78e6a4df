import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError, describeFailure, ServerUnreachableError } from '../operation-error.js';
import { type Erasure } from './erasure.js';
import { ErasureBatches } from './erasure-batch.js';
import { Eraser, type ErasureResources, isReady } from './eraser.js';

export interface ErasureRunOptions {
  /** Requests whose erasures run; all open ones by default. */
  readonly requests?: readonly string[];
  /** Time for which ready erasures wait for the others, so that one batch deletes them all. */
  readonly gatherMs?: number;
  /** Time after which the run ends, whatever is open. */
  readonly maxMs?: number;
  readonly pauseMs?: number;
  readonly say?: (text: string) => void;
}

/** True while there is work to do on an erasure before it only waits for Kafka and backups. */
export const isOpen = ({ state }: Pick<Erasure, 'state'>): boolean => state !== 'waiting' && state !== 'closed';

/**
 * Continues erasures until each waits for Kafka, or the time is over. Safe to repeat and to interrupt anywhere: each
 * state is durable before the next begins. @returns the erasures as they are then
 */
export async function runErasures(resources: ErasureResources, options: ErasureRunOptions = {}): Promise<Erasure[]> {
  const { requests, gatherMs = 60_000, maxMs = 60 * 60_000, pauseMs = 1_000, say = () => undefined } = options;
  const { store } = resources;
  const [eraser, batches] = [new Eraser(resources), new ErasureBatches(resources)];
  const chosenErasures = (): Erasure[] => store.list().filter(({ request }) => requests?.includes(request) ?? true);
  const startTime = performance.now();
  const elapsedMs = (): number => performance.now() - startTime;
  let isWatched = false;
  for (let lastText = ''; ;) {
    let text: string;
    try {
      if (!isWatched) await batches.watch(chosenErasures().filter(({ state }) => state === 'waiting'));
      isWatched = true;
      await advanceErasures(chosenErasures(), { eraser, batches, mayLeave: elapsedMs() > gatherMs });
      const open = chosenErasures().filter(isOpen);
      if (open.length === 0 || elapsedMs() > maxMs) return chosenErasures();
      text = describeProgress(open);
    } catch (error) {
      // A server that restarts is waited for; an error that an operator must fix is not.
      const isFinal = error instanceof OperationError && !(error instanceof ServerUnreachableError);
      if (isFinal || elapsedMs() > maxMs) throw error;
      text = describeFailure(error);
    }
    if (text !== lastText) say(text);
    lastText = text;
    await sleep(pauseMs);
  }
}

interface Steps {
  readonly eraser: Eraser;
  readonly batches: ErasureBatches;
  /** True if ready erasures go on without those that wait. */
  readonly mayLeave: boolean;
}

async function advanceErasures(erasures: readonly Erasure[], { eraser, batches, mayLeave }: Steps): Promise<void> {
  const prepared = await eraser.prepare(erasures.filter(isBeforeBatch));
  const ready = prepared.filter(isReady);
  const formed = ready.length > 0 && (mayLeave || ready.length === prepared.length) ? await batches.form(ready) : [];
  const deleting = [...erasures.filter(({ state }) => state === 'deleting'), ...formed];
  const verified = erasures.filter(({ state }) => state === 'verified');
  for (const members of Map.groupBy(deleting, ({ batch }) => batch).values()) {
    const continued = await batches.continueBatch(members);
    verified.push(...continued.filter(({ state }) => state === 'verified'));
  }
  for (const erasure of verified) await batches.settle(erasure);
}

const isBeforeBatch = ({ state }: Erasure): boolean =>
  state === 'requested' || state === 'suppressed' || state === 'resolved' || state === 'barrier';

function describeProgress(open: readonly Erasure[]): string {
  const [firstErasure] = open;
  const states = [...Map.groupBy(open, ({ state }) => state)].map(([state, members]) => `${members.length} ${state}`);
  return `${states.join(', ')}${firstErasure?.problem === undefined ? '' : `: ${firstErasure.problem}`}`;
}
