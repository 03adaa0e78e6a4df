import { expect, it } from 'vitest';
import { Load } from './load.js';

const times = (count: number, act: () => void): void => {
  for (let i = 0; i < count; i++) act();
};

/** So many a second, for long enough that it is the rate of lately. */
function atRate(load: Load, finished: number, turnedAway: number, seconds = 60): void {
  times(seconds, () => {
    times(finished, () => {
      load.finish();
    });
    times(turnedAway, () => {
      load.turnAway();
    });
    load.tick();
  });
}

it('says a second while all that is in work is done in less', () => {
  const load = new Load(() => 50);
  atRate(load, 1_000, 0);
  expect(load.retryAfterSeconds(0)).toBe(1);
});

it('says how long what is in work will take at the rate of lately, spread over twice that time', () => {
  const load = new Load(() => 1_000);
  atRate(load, 100, 0);
  // The rate is counted a little low between two ticks.
  expect(load.retryAfterSeconds(0)).toBeGreaterThanOrEqual(10);
  expect(load.retryAfterSeconds(0)).toBeLessThanOrEqual(12);
  expect(load.retryAfterSeconds(0.999)).toBeGreaterThanOrEqual(20);
});

it('counts on those to come back that were turned away', () => {
  const load = new Load(() => 0);
  atRate(load, 100, 200);
  const seconds = load.retryAfterSeconds(0);
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(20);
});

it('never says less than a second nor more than a minute', () => {
  const stuck = new Load(() => 4_000);
  expect(stuck.retryAfterSeconds(1)).toBe(60);
  expect(new Load(() => 0).retryAfterSeconds(0)).toBe(1);
});

it('is overloaded for long when most were turned away for half a minute, and no more soon after that ends', () => {
  const load = new Load(() => 0);
  atRate(load, 10, 20, 25);
  expect(load.isOverloadedForLong).toBe(false);
  atRate(load, 10, 20, 15);
  expect(load.isOverloadedForLong).toBe(true);
  atRate(load, 30, 0, 15);
  expect(load.isOverloadedForLong).toBe(false);
});
