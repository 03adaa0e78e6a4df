import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OwedAnswers } from './owed-answers.js';

const anAnswer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

it('holds the answers that were added and not deleted, in whatever order they are deleted', () => {
  const owed = new OwedAnswers();
  const there = new Set<ServerResponse>();
  for (let step = 0; step < 1_000; step++) {
    const [any] = [...there].sort(() => Math.random() - 0.5);
    if (any && Math.random() < 0.45) {
      owed.delete(any);
      there.delete(any);
    } else {
      const answer = anAnswer();
      owed.add(answer);
      there.add(answer);
    }
    expect(owed.size).toBe(there.size);
  }
  expect(new Set(owed)).toEqual(there);
  for (const answer of there) owed.delete(answer);
  expect([...owed]).toEqual([]);
});
