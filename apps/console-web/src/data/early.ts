import { type Operation } from '@sluice/console-api';
import { type AnswerOf, call, type Input } from './call';

/** Time for which an early answer is as good as one that is asked for now. */
const freshMs = 3_000;

interface Early {
  readonly key: readonly unknown[];
  readonly answer: Promise<unknown>;
  readonly askedAt: number;
  data?: unknown;
}

const asked = new Map<string, Early>();

/** The key under which an answer is kept. */
export const keyOf = <Op extends Operation>(
  operation: Op,
  { path = {}, query }: Input<Op> = {},
): readonly unknown[] => [operation, path, query ?? {}];

/** Asks before the code is there that needs the answer. */
export function askEarly<Op extends Operation>(operation: Op, input: Input<Op> = {}): void {
  const key = keyOf(operation, input);
  const name = JSON.stringify(key);
  const early: Early = { key, answer: call(operation, input), askedAt: performance.now() };
  early.answer.then(
    (data) => {
      early.data = data;
    },
    // Who has taken it hears of the failure; the others ask anew.
    () => asked.delete(name),
  );
  asked.set(name, early);
}

/** The answer, if it was asked for early; each one can be taken once. */
export function takeEarly<Op extends Operation>(
  operation: Op,
  input: Input<Op> = {},
): Promise<AnswerOf<Op>> | undefined {
  const name = JSON.stringify(keyOf(operation, input));
  const early = asked.get(name);
  asked.delete(name);
  const isFresh = early !== undefined && performance.now() - early.askedAt < freshMs;
  return isFresh ? (early.answer as Promise<AnswerOf<Op>>) : undefined;
}

/** Takes the answers that come within a time, or are there already. The others can still be taken one by one. */
export async function takeAllEarly(mostMs: number): Promise<Early[]> {
  const answers = [...asked.values()].map(({ answer }) => answer);
  await Promise.race([Promise.allSettled(answers), new Promise((resolve) => setTimeout(resolve, mostMs))]);
  const there = [...asked].filter(([, { data }]) => data !== undefined);
  for (const [name] of there) asked.delete(name);
  return there.map(([, early]) => early);
}
