import { expect, it } from 'vitest';
import { readRunningStack } from './local-stack.js';
import { readDemoOptions } from './options.js';

it('runs forever at 50 messages per second by default, and sends a history as fast as it can', () => {
  expect(readDemoOptions([])).toEqual({
    rate: 50,
    users: 200,
    seed: '1',
    durationMs: undefined,
    historyDays: undefined,
    lost: undefined,
  });
  expect(readDemoOptions(['--break', 'order_completed@2.3.0']).lost).toEqual({
    event: 'order_completed',
    version: '2.3.0',
  });
  expect(readDemoOptions(['--history', '36h'])).toMatchObject({ rate: undefined, historyDays: 1.5 });
  expect(readDemoOptions(['--rate=7', '--duration', '2m', '--history', '1d'])).toMatchObject({
    rate: 7,
    durationMs: 120_000,
  });
});

it.each([
  [['--rate', '0'], '--rate must be a whole number'],
  [['--users', '1.5'], '--users must be'],
  [['--seed', 'a b'], '--seed must be'],
  [['--duration', '5'], '--duration must be a time like'],
  [['--history', '0d'], '--history must be a time like'],
  [['--break', 'order_completed'], '--break must be an event and a version'],
  [['--break', 'nothing@2.3.0'], '--break must be an event and a version'],
  [['--colour', 'red'], 'npm run demo -- '],
  [['now'], 'npm run demo -- '],
])('says what is wrong with %j', (args, message) => expect(() => readDemoOptions(args)).toThrow(message));

it('says how to start the stack that it needs', () =>
  expect(() => readRunningStack('/no/such/folder')).toThrow('start it with npm start'));
