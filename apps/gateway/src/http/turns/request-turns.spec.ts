import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type WorkShare } from '../../request/work-queue.js';
import { maxWaitMs, RequestTurns } from './request-turns.js';

let now = 0;
beforeEach(() => {
  now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

const nothing = (): void => undefined;

/** Takes `count` pieces of work of `ms` milliseconds each; each adds its share to `done` when it has run. */
function take(turns: RequestTurns, share: WorkShare, count: number, ms: number, done: string[]): void {
  for (let i = 0; i < count; i++) takeOne(turns, share, 'a', ms, done, share);
}

function takeOne(
  turns: RequestTurns,
  share: WorkShare,
  source: string,
  ms: number,
  done: string[],
  name = source,
): void {
  const run = (): void => {
    now += ms;
    done.push(name);
  };
  turns.take({ share, source }, run, nothing);
}

/** Counts the pieces of work done in each turn of the event loop, until `until` of them are done. */
async function perTurn(done: readonly unknown[], until: number): Promise<number[]> {
  const counts: number[] = [];
  while (done.length < until) {
    const before = done.length;
    await nextTurn();
    counts.push(done.length - before);
  }
  return counts;
}

it('does work at once for five milliseconds of a turn, and leaves the rest to the next turns', async () => {
  const done: string[] = [];
  take(new RequestTurns(), 'small', 20, 2, done);
  expect(done.length).toBe(3);
  expect(Math.max(...(await perTurn(done, 20)))).toBe(3);
});

it('has turns of one millisecond while two sources have work, and for a second after', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  takeOne(turns, 'small', 'other', 0, done);
  take(turns, 'small', 4, 1, done);
  expect(turns.turnMs).toBe(1);
  expect(Math.max(...(await perTurn(done, 5)))).toBe(1);
  now += 1_000;
  expect(turns.turnMs).toBe(5);
  take(turns, 'small', 5, 1, done);
  expect(done.length).toBe(10);
});

it('does waiting work in the order of its arrival', async () => {
  const turns = new RequestTurns();
  const order: number[] = [];
  for (let i = 0; i < 30; i++)
    turns.take(
      { share: 'large', source: 'a' },
      () => {
        now += 2;
        order.push(i);
      },
      nothing,
    );
  expect(Math.max(...(await perTurn(order, 30)))).toBe(3);
  expect(order).toEqual(Array.from({ length: 30 }, (_, i) => i));
});

it('small and large bodies get the same time, and requests without a key get a quarter of it', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  take(turns, 'large', 10, 10, done);
  take(turns, 'keyless', 100, 1, done);
  take(turns, 'small', 100, 1, done);
  await perTurn(done, 210);
  const first = done.slice(0, 100);
  const times = { small: 1, large: 10, keyless: 1 };
  const msOf = (share: WorkShare) => first.filter((one) => one === share).length * times[share];
  expect(msOf('small') / msOf('large')).toBeGreaterThan(0.7);
  expect(msOf('small') / msOf('large')).toBeLessThan(1.4);
  expect(msOf('keyless') / msOf('small')).toBeGreaterThan(0.15);
  expect(msOf('keyless') / msOf('small')).toBeLessThan(0.35);
});

it('refuses work that has waited for too long, and does the rest', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  const take = (source: string): void =>
    turns.take(
      { share: 'large', source },
      () => done.push(`${source} done`),
      () => done.push(`${source} refused`),
    );
  take('a');
  now += maxWaitMs + 1;
  take('a');
  take('b');
  expect(done).toEqual([]);
  await nextTurn();
  expect(done.toSorted()).toEqual(['a done', 'a refused', 'b done']);
  take('a');
  await nextTurn();
  expect(done.at(-1)).toBe('a done');
});

it('never refuses work that has begun', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  const place = { share: 'large', source: 'a' } as const;
  const begin = (): void => {
    now += 10;
    turns.again(place, () => done.push('went on'));
  };
  turns.take(place, begin, nothing);
  turns.take(place, nothing, () => done.push('refused'));
  await nextTurn();
  now += maxWaitMs + 1;
  await perTurn(done, 2);
  expect(done).toEqual(['refused', 'went on']);
});

/** A client that sends its next request `pauseMs` after each answer. */
interface Client {
  source: string;
  workMs: number;
  pauseMs: number;
  sendAt: number;
  isWaiting: boolean;
}
interface Answer {
  source: string;
  isServed: boolean;
  waitedMs: number;
}

/** Lets clients send for `ms` of the clock, which only their work moves. Refusing takes 0.05 ms. */
async function answersOf(clients: readonly Client[], ms: number): Promise<Answer[]> {
  const turns = new RequestTurns();
  const answers: Answer[] = [];
  const end = now + ms;
  const send = (client: Client): void => {
    const { source, workMs, pauseMs } = client;
    const sentAt = now;
    const answer = (isServed: boolean, takesMs: number) => (): void => {
      now += takesMs;
      answers.push({ source, isServed, waitedMs: now - sentAt });
      Object.assign(client, { isWaiting: false, sendAt: now + pauseMs });
    };
    client.isWaiting = true;
    turns.take({ share: 'small', source }, answer(true, workMs), answer(false, 0.05));
  };
  while (now < end || clients.some(({ isWaiting }) => isWaiting)) {
    for (const client of clients) if (now < end && !client.isWaiting && client.sendAt <= now) send(client);
    const before = now;
    await nextTurn();
    if (now === before) now += 0.1;
  }
  return answers;
}

it('answers everybody within a second, and serves small sources first, however many sources want all of the time', async () => {
  const idle = { isWaiting: false };
  const greedy = Array.from({ length: 500 }, (_, i) => ({
    source: `greedy ${i}`,
    workMs: 4,
    pauseMs: 0,
    sendAt: now,
    ...idle,
  }));
  // It uses a sixth of the part of a source, which is 2 ms a second.
  const ordinary = { source: 'ordinary', workMs: 0.1, pauseMs: 300, sendAt: now + 1_000, ...idle };
  const answers = await answersOf([...greedy, ordinary], 10_000);
  expect(Math.max(...answers.map(({ waitedMs }) => waitedMs))).toBeLessThan(1_000);
  expect(answers.filter(({ isServed }) => isServed).length).toBeGreaterThan(2_000);
  const ofOrdinary = answers.filter(({ source }) => source === 'ordinary');
  expect(ofOrdinary.length).toBeGreaterThan(20);
  expect(ofOrdinary.filter(({ isServed }) => !isServed)).toEqual([]);
});

it('divides the time of a share among its sources: a costly one delays the others by one piece of its work', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  for (let i = 0; i < 50; i++) takeOne(turns, 'small', 'greedy', 10, done);
  await nextTurn();
  for (let i = 0; i < 20; i++) takeOne(turns, 'small', 'ordinary', 1, done);
  const before = done.length;
  await perTurn(done, before + 21);
  expect(done.slice(before, before + 21).filter((source) => source === 'greedy').length).toBeLessThanOrEqual(1);
  await perTurn(done, 70);
});

it('work that is continued later runs before other work of its source, and after work of other sources', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  const place = { share: 'large', source: 'a' } as const;
  const goOn = (): void => {
    now += 4;
    done.push('a goes on');
  };
  turns.take(
    place,
    () => {
      now += 4;
      turns.again(place, goOn);
    },
    nothing,
  );
  takeOne(turns, 'large', 'a', 1, done, 'a next');
  takeOne(turns, 'large', 'b', 1, done, 'b');
  await perTurn(done, 3);
  expect(done).toEqual(['b', 'a goes on', 'a next']);
});

it('charges keyless work for its promises too', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  const promising = (): void => {
    done.push('keyless');
    void Promise.resolve().then(() => (now += 5));
  };
  for (let i = 0; i < 20; i++) turns.take({ share: 'keyless', source: 'a' }, promising, nothing);
  await nextTurn();
  take(turns, 'small', 40, 1, done);
  await perTurn(done, 40);
  const firstKeyed = done.indexOf('small');
  expect(done.slice(firstKeyed, firstKeyed + 20).filter((name) => name === 'keyless').length).toBeLessThanOrEqual(2);
  await perTurn(done, 60);
});

it('while connections arrive, half of the time is left to accept them', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  take(turns, 'large', 200, 1, done);
  let idleTurns = 0;
  while (done.length < 100) {
    const before = done.length;
    turns.connected();
    now += 0.5;
    await nextTurn();
    if (done.length === before) idleTurns += 1;
  }
  expect(idleTurns * 0.5).toBeGreaterThan(80);
  expect(idleTurns * 0.5).toBeLessThan(120);
});

it('takes up work again after an idle time', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  for (const count of [1, 2]) {
    take(turns, 'large', 1, 1, done);
    await nextTurn();
    expect(done.length).toBe(count);
  }
});

it('a share that was busy for long does not wait behind one that was idle', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  for (let i = 0; i < 1_000; i++) {
    take(turns, 'small', 1, 1, []);
    await nextTurn();
  }
  take(turns, 'keyless', 200, 1, done);
  take(turns, 'small', 20, 1, done);
  await perTurn(done, 60);
  expect(done.slice(0, 60).filter((share) => share === 'small').length).toBe(20);
});
