import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { BodyRoom } from './body-room.js';

const anAnswer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

afterEach(() => vi.useRealTimers());

it('refuses a body without room, and has room again when an answer is over', () => {
  const room = new BodyRoom(100_000);
  const [first, second] = [anAnswer(), anAnswer()];
  expect(room.hold(first, 60_000)).toBe(true);
  expect(room.hold(second, 60_000)).toBe(false);
  first.emit('close');
  expect(room.hold(second, 60_000)).toBe(true);
});

it('counts the bytes that a body holds now, more when it grows and fewer when it shrinks', () => {
  const room = new BodyRoom(100_000);
  const first = anAnswer();
  expect(room.hold(first, 50_000)).toBe(true);
  expect(room.hold(first, 100_001)).toBe(false);
  expect(room.hold(first, 100_000)).toBe(true);
  expect(room.hold(first, 10_000)).toBe(true);
  expect(room.hold(anAnswer(), 90_001)).toBe(false);
  expect(room.hold(anAnswer(), 90_000)).toBe(true);
  first.emit('close');
  expect(room.hold(anAnswer(), 10_001)).toBe(false);
  expect(room.hold(anAnswer(), 10_000)).toBe(true);
});

it('takes the room of a body that has been read for too long, and of no other', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const room = new BodyRoom(100_000);
  const given: string[] = [];
  room.hold(anAnswer(), 40_000);
  room.hold(anAnswer(), 40_000, () => given.push('slow'));
  expect(room.hold(anAnswer(), 40_000)).toBe(false);
  vi.advanceTimersByTime(1_500);
  expect(room.hold(anAnswer(), 40_000, () => given.push('new'))).toBe(true);
  expect(given).toEqual(['slow']);
  expect(room.hold(anAnswer(), 40_000)).toBe(false);
});

it('holds no memory for a client that disconnected, nor for a small body', () => {
  const room = new BodyRoom(100_000);
  const gone = anAnswer();
  gone.destroy();
  expect(room.hold(gone, 60_000)).toBe(true);
  const inflated = anAnswer();
  expect(room.hold(inflated, 80_000)).toBe(true);
  expect(room.hold(inflated, 0)).toBe(true);
  expect(room.hold(anAnswer(), 100_000)).toBe(true);
});
