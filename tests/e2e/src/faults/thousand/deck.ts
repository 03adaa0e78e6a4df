import { type FaultClass, isAlone, type FaultScope } from './fault-class.js';
import { type Random } from '@sluice/testing';

/** A period with faults, in turn or overlapping, between two periods at rest. */
export interface Window {
  readonly scope: FaultScope;
  readonly classes: readonly FaultClass[];
}

/** Share of each scope in all faults. */
const shares: readonly (readonly [FaultScope, number])[] = [
  ['events', 0.268],
  ['partitions', 0.002],
  ['tracking', 0.37],
  ['everything', 0.35],
  ['stored bytes', 0.01],
];
const perWindow = 50;

/** The faults of a run, the same for the same seed: each class at least once, the rest by weight. */
export function draw(classes: readonly FaultClass[], count: number, random: Random): Window[] {
  const present = shares.filter(([scope]) => classes.some((faultClass) => faultClass.scope === scope));
  const total = present.reduce((sum, [, share]) => sum + share, 0);
  const windows = present.flatMap(([scope, share]) => {
    const classesOfScope = classes.filter((faultClass) => faultClass.scope === scope);
    const drawn = drawScope(
      classesOfScope,
      Math.max(classesOfScope.length, Math.round((count * share) / total)),
      random,
    );
    return cut(scope, drawn, isAlone(scope) ? 1 : perWindow);
  });
  return random.shuffled(windows);
}

function drawScope(classes: readonly FaultClass[], count: number, random: Random): FaultClass[] {
  const drawn = [...classes];
  while (drawn.length < count) {
    const open = classes.filter(
      (faultClass) =>
        drawn.filter((drawnClass) => drawnClass === faultClass).length < (faultClass.maxCount ?? Infinity),
    );
    if (open.length === 0) break;
    let point = random.next() * open.reduce((sum, { weight }) => sum + weight, 0);
    const drawnClass = open.find(({ weight }) => (point -= weight) < 0);
    if (drawnClass) drawn.push(drawnClass);
  }
  return random.shuffled(drawn);
}

function cut(scope: FaultScope, drawn: readonly FaultClass[], size: number): Window[] {
  const windows: Window[] = [];
  for (let from = 0; from < drawn.length; from += size) {
    windows.push({ scope, classes: drawn.slice(from, from + size) });
  }
  return windows;
}
