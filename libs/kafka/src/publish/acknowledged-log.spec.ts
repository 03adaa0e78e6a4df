import { expect, it } from 'vitest';
import { AcknowledgedLog } from './acknowledged-log.js';

/** A log with an acknowledged end of 100 in partition 3, which is told. */
function aLog(): AcknowledgedLog {
  const log = new AcknowledgedLog();
  log.take(3, 0, 100);
  look(log, 'old');
  return log;
}

function look(log: AcknowledgedLog, id: string | undefined, highs?: ReadonlyMap<number, number>): string[] {
  log.look();
  return log.answer(id, highs).map(({ id, ends }) => `${id} ${JSON.stringify([...ends])}`);
}

it('tells the ends that changed, and nothing when none has', () => {
  const log = new AcknowledgedLog();
  expect(look(log, 'old')).toEqual([]);
  log.take(3, 0, 100);
  log.take(5, 7, 9);
  expect(look(log, 'old')).toEqual(['old [[3,100],[5,9]]']);
  expect(look(log, 'old')).toEqual([]);
  log.take(3, 120, 130); // others write, too
  expect(look(log, 'old')).toEqual(['old [[3,130],[5,9]]']);
});

it('keeps the highest end when acknowledgements come out of their order', () => {
  const log = aLog();
  log.take(3, 110, 120);
  log.take(3, 100, 110);
  expect(look(log, 'old')).toEqual(['old [[3,120]]']);
});

it('gives the former log what was acknowledged before offsets went back, and the rest to the next one', () => {
  const log = aLog();
  log.take(3, 100, 150);
  log.take(3, 0, 20);
  log.take(3, 20, 30);
  expect(look(log, 'new')).toEqual(['old [[3,150]]', 'new [[3,30]]']);
  log.take(3, 30, 35);
  expect(look(log, 'new')).toEqual(['new [[3,35]]']);
});

it('gives the former log what continues it when nothing came after it', () => {
  const log = aLog();
  log.take(3, 100, 150);
  expect(look(log, 'new')).toEqual(['old [[3,150]]']);
});

it('gives the next log what begins below the end of the former one', () => {
  const log = aLog();
  log.take(3, 40, 50);
  expect(look(log, 'new')).toEqual(['new [[3,50]]']);
});

it('decides by the end of the next log when nothing was acknowledged in the partition before', () => {
  const [beyond, within] = [aLog(), aLog()];
  beyond.take(4, 500, 510);
  beyond.look();
  expect(beyond.mustDecide('new')).toBe(true);
  expect(look(beyond, 'new', new Map([[4, 20]]))).toEqual(['old [[3,100],[4,510]]']);
  within.take(4, 5, 10);
  expect(look(within, 'new', new Map([[4, 20]]))).toEqual(['new [[4,10]]']);
});

it('gives a deleted topic what continues its log, and keeps what began anew for the next one', () => {
  const log = aLog();
  log.take(3, 100, 150);
  expect(look(log, undefined)).toEqual(['old [[3,150]]']);
  log.take(3, 0, 20);
  expect(look(log, undefined)).toEqual([]);
  log.take(3, 20, 30);
  expect(look(log, 'new')).toEqual(['new [[3,30]]']);
});

it('counts what comes during a look with the next one', () => {
  const log = aLog();
  log.take(3, 100, 150);
  log.look();
  log.take(3, 0, 20); // of a topic that was created anew after the answer
  expect(log.answer('old').map(({ ends }) => ends.get(3))).toEqual([150]);
  expect(look(log, 'new')).toEqual(['new [[3,20]]']);
});

it('forgets nothing when a look fails', () => {
  const log = aLog();
  log.take(3, 100, 150);
  log.look(); // without an answer
  log.take(3, 0, 20);
  expect(look(log, 'new')).toEqual(['old [[3,150]]', 'new [[3,20]]']);
});

it('tells the ends of two topics that were deleted in a row', () => {
  const log = aLog();
  log.take(3, 0, 20);
  expect(look(log, 'second')).toEqual(['second [[3,20]]']);
  log.take(3, 20, 25);
  log.take(3, 0, 5);
  expect(look(log, 'third')).toEqual(['second [[3,25]]', 'third [[3,5]]']);
});
