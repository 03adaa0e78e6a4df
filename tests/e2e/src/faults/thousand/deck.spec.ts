import { expect, it } from 'vitest';
import { draw } from './deck.js';
import { type FaultClass, type FaultScope } from './fault-class.js';
import { Random } from '@sluice/testing';

const aClass = (name: string, scope: FaultScope, more: Partial<FaultClass> = {}): FaultClass => ({
  name,
  scope,
  takes: [],
  weight: 1,
  inject: () => Promise.resolve(),
  ...more,
});
const classes = [
  aClass('a', 'events'),
  aClass('b', 'events', { weight: 5 }),
  aClass('seldom', 'tracking', { weight: 100, maxCount: 2 }),
  aClass('c', 'tracking'),
  aClass('d', 'everything'),
  aClass('bytes', 'stored bytes'),
];
const drawNames = (seed: number) =>
  draw(classes, 400, new Random(seed)).map((window) => window.classes.map(({ name }) => name));

it('draws the same faults for the same seed and different faults for another', () => {
  expect(drawNames(1)).toEqual(drawNames(1));
  expect(drawNames(1)).not.toEqual(drawNames(2));
});

it('draws the requested number, each class at least once and none more often than its limit', () => {
  const names = drawNames(3).flat();
  expect(Math.abs(names.length - 400)).toBeLessThanOrEqual(4);
  expect(new Set(names)).toEqual(new Set(classes.map(({ name }) => name)));
  expect(names.filter((name) => name === 'seldom').length).toBeLessThanOrEqual(2);
});

it('mixes no scopes in a window, and gives every fault that destroys bytes its own window', () => {
  for (const { scope, classes: drawn } of draw(classes, 400, new Random(4))) {
    expect(new Set(drawn.map((faultClass) => faultClass.scope))).toEqual(new Set([scope]));
    if (scope === 'stored bytes') expect(drawn).toHaveLength(1);
  }
});
