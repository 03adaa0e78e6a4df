import { type Operation } from '@sluice/console-api';
import { type AnswerOf, addressOf, type Input } from './call';

/** Answers that `public/first.js` asked for, by address. */
declare global {
  var sluiceFirst: Map<string, Promise<Response>> | undefined;
}

/** Time since the navigation in which an early answer is as good as one that is asked for now. */
const freshMs = 5_000;

const answers = new Map<string, Promise<unknown>>();
for (const [address, response] of globalThis.sluiceFirst ?? []) {
  const answer = response.then((one) => {
    if (!one.ok) throw new Error(`The console answered ${one.status}.`);
    return one.json() as Promise<unknown>;
  });
  // A failed one is asked for anew, and its failure shown.
  answer.catch(() => answers.delete(address));
  answers.set(address, answer);
}

/** The key under which an answer is kept. */
export const keyOf = <Op extends Operation>(operation: Op, { path = {}, query }: Input<Op> = {}): readonly string[] => [
  operation,
  addressOf(operation.slice(operation.indexOf(' ') + 1), path, query as object | undefined),
];

/** The answer, if it was asked for early; each one can be taken once. */
export function takeEarly<Op extends Operation>(
  operation: Op,
  input: Input<Op> = {},
): Promise<AnswerOf<Op>> | undefined {
  const address = keyOf(operation, input)[1] ?? '';
  const answer = answers.get(address);
  answers.delete(address);
  return performance.now() < freshMs ? (answer as Promise<AnswerOf<Op>> | undefined) : undefined;
}

/** Takes the answers that come within a time, with their keys. The others can still be taken one by one. */
export async function takeAllEarly(mostMs: number): Promise<(readonly [key: readonly string[], data: unknown])[]> {
  const there: (readonly [key: readonly string[], data: unknown])[] = [];
  const taking = [...answers].map(async ([address, answer]) => {
    const data = await answer;
    // After the time somebody else may have taken it.
    if (answers.delete(address)) there.push([[`GET ${address.split('?', 1).join()}`, address], data]);
  });
  await Promise.race([Promise.allSettled(taking), new Promise((resolve) => setTimeout(resolve, mostMs))]);
  return there;
}
