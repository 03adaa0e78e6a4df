import { expect, it, vi } from 'vitest';
import { Health } from './health.js';
import { whenAvailable } from './when-available.js';

const aStart = () => {
  const stop = new AbortController();
  return { starting: { health: new Health(), stopping: stop.signal }, stop };
};

it('repeats the work until it succeeds, and readiness says what is waited for', async () => {
  const { starting } = aStart();
  const failures = [new AggregateError([], ''), new Error('connect ECONNREFUSED')];
  let tries = 0;

  const result = await whenAvailable(starting, 'kafka', () => {
    expect(() => starting.health.ready.get('kafka')?.()).toThrow('waiting for kafka: ');
    const failure = failures[tries++];
    return failure ? Promise.reject(failure) : Promise.resolve('there');
  });

  expect(result).toBe('there');
  expect(tries).toBe(3);
  expect(starting.health.ready.has('kafka')).toBe(false);
});

it('names the code and the first line of the last error', async () => {
  const { starting, stop } = aStart();
  const failure = Object.assign(new Error('There are unfinished hosts\nand more'), { type: 'TIMEOUT_EXCEEDED' });
  const waiting = whenAvailable(starting, 'clickhouse', () => Promise.reject(failure));

  await vi.waitFor(
    () =>
      expect(() => starting.health.ready.get('clickhouse')?.()).toThrow(
        /^waiting for clickhouse: TIMEOUT_EXCEEDED: There are unfinished hosts$/,
      ),
    30_000,
  );
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

it('ends at once when the process is asked to stop, even while an attempt hangs', async () => {
  const { starting, stop } = aStart();
  const waiting = whenAvailable(starting, 'clickhouse', () => new Promise(() => undefined));
  stop.abort(new Error('stopped'));

  await expect(waiting).rejects.toThrow('stopped');
});

it('does not wait when waiting cannot help', async () => {
  const { starting } = aStart();
  const refused = new Error('changed after it was applied');

  await expect(
    whenAvailable(
      starting,
      'clickhouse',
      () => Promise.reject(refused),
      (error) => error === refused,
    ),
  ).rejects.toBe(refused);
});
