import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { BodyRoom } from './body-room.js';

const anAnswer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

it('has room until it is taken, and again when an answer is over', () => {
  const room = new BodyRoom(100_000);
  const [first, second] = [anAnswer(), anAnswer()];
  expect(room.take(60_000, first)).toBe(true);
  expect(room.take(60_000, second)).toBe(false);
  first.emit('close');
  expect(room.take(60_000, second)).toBe(true);
});

it('gives back what a body turned out not to need, once', () => {
  const room = new BodyRoom(100_000);
  const first = anAnswer();
  room.take(100_000, first);
  room.giveBack(first.req, 10_000);
  expect(room.take(90_001, anAnswer())).toBe(false);
  expect(room.take(90_000, anAnswer())).toBe(true);
  first.emit('close');
  expect(room.take(10_001, anAnswer())).toBe(false);
  expect(room.take(10_000, anAnswer())).toBe(true);
});

it('leaves small bodies to the places', () => {
  const room = new BodyRoom(10_000);
  for (let i = 0; i < 10; i++) expect(room.take(8_192, anAnswer())).toBe(true);
});
