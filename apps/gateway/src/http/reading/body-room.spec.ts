import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { BodyRoom } from './body-room.js';

const anAnswer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

afterEach(() => vi.useRealTimers());

it('refuses a body without room, and has room again when an answer is over', () => {
  const room = new BodyRoom(100_000);
  const [first, second] = [anAnswer(), anAnswer()];
  expect(room.hold(first, 60_000, undefined)).toBe(true);
  expect(room.hold(second, 60_000, undefined)).toBe(false);
  first.emit('close');
  expect(room.hold(second, 60_000, undefined)).toBe(true);
});

it('counts the bytes that a body holds now, more when it grows and fewer when it shrinks', () => {
  const room = new BodyRoom(100_000);
  const first = anAnswer();
  expect(room.hold(first, 50_000, undefined)).toBe(true);
  expect(room.hold(first, 100_001, undefined)).toBe(false);
  expect(room.hold(first, 100_000, undefined)).toBe(true);
  expect(room.hold(first, 10_000, undefined)).toBe(true);
  expect(room.hold(anAnswer(), 90_001, undefined)).toBe(false);
  expect(room.hold(anAnswer(), 90_000, undefined)).toBe(true);
  first.emit('close');
  expect(room.hold(anAnswer(), 10_001, undefined)).toBe(false);
  expect(room.hold(anAnswer(), 10_000, undefined)).toBe(true);
});

it('takes the room of a body that is still being read after too long, and of no other', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const room = new BodyRoom(100_000);
  const given: string[] = [];
  room.hold(anAnswer(), 40_000, undefined);
  room.hold(anAnswer(), 40_000, undefined, () => given.push('slow'));
  expect(room.hold(anAnswer(), 40_000, undefined)).toBe(false);
  vi.advanceTimersByTime(1_500);
  expect(room.hold(anAnswer(), 40_000, undefined, () => given.push('new'))).toBe(true);
  expect(given).toEqual(['slow']);
  expect(room.hold(anAnswer(), 40_000, undefined)).toBe(false);
});

it('holds no memory for a client that disconnected, nor for a small body', () => {
  const room = new BodyRoom(100_000);
  const gone = anAnswer();
  gone.destroy();
  expect(room.hold(gone, 60_000, undefined)).toBe(true);
  const inflated = anAnswer();
  expect(room.hold(inflated, 80_000, undefined)).toBe(true);
  expect(room.hold(inflated, 0, undefined)).toBe(true);
  expect(room.hold(anAnswer(), 100_000, undefined)).toBe(true);
});

it('a source holds half of the memory alone and a quarter next to others, or one body', () => {
  const room = new BodyRoom(100_000);
  const first = anAnswer();
  expect(room.hold(first, 50_000, 'greedy')).toBe(true);
  expect(room.hold(anAnswer(), 1_000, 'greedy')).toBe(false);
  expect(room.hold(anAnswer(), 30_000, 'ordinary')).toBe(true);
  expect(room.hold(anAnswer(), 1_000, 'ordinary')).toBe(false);
  expect(room.hold(anAnswer(), 10_000, 'other')).toBe(true);
  first.emit('close');
  expect(room.hold(anAnswer(), 5_000, 'ordinary')).toBe(true);
});

it('a source that has its part gives up its own slow bodies, and not those of others', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const room = new BodyRoom(100_000);
  const given: string[] = [];
  room.hold(anAnswer(), 20_000, 'ordinary', () => given.push('ordinary'));
  room.hold(anAnswer(), 30_000, 'greedy', () => given.push('greedy'));
  vi.advanceTimersByTime(1_500);
  expect(room.hold(anAnswer(), 25_000, 'greedy')).toBe(true);
  expect(given).toEqual(['greedy']);
});
