import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { type DeadLetter } from './dead-letter.js';
import { compareLetters, summarizeLetter } from './letter-summary.js';

const letterCount = 1_000;
const mib = 1_024 * 1_024;

function createLetter(offset: number): DeadLetter {
  const filler = 'x'.repeat(60_000);
  const messageId = randomUUID();
  return {
    ...{ id: `t:0:${offset}@1`, topic: 't', partition: 0, offset: String(offset), timestamp: 1, refusedAt: 1 },
    reason: `${offset} ${filler}`,
    key: Buffer.from(`${offset} ${filler}`),
    value: Buffer.from(`{"message_id":"${messageId}","filler":"${offset} ${filler}"}`),
    headers: {},
    encodedHeaders: Buffer.alloc(0),
  };
}

it('a summary keeps nothing of its letter in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const summaries = Array.from({ length: letterCount }, (_, offset) => summarizeLetter(createLetter(offset)));
  collect();
  expect((process.memoryUsage().heapUsed - before) / mib).toBeLessThan(10);
  expect(summaries.map(({ reason }) => reason.length)).toEqual(Array(letterCount).fill(2_000));
  expect(summaries.every(({ key, messageId }) => key?.length === 300 && messageId?.length === 36)).toBe(true);
});

it('lists the newest first, and of one moment the message that came later', () => {
  const letters = [
    { refusedAt: 1, id: 'a:0:99@1700000000000' },
    { refusedAt: 2, id: 'a:0:9@1700000000000' },
    { refusedAt: 2, id: 'a:0:10@1700000000000' },
    { refusedAt: 2, id: 'a:0:8@1700000000000' },
  ];
  expect(letters.sort(compareLetters).map(({ id }) => id.split(/[:@]/)[2])).toEqual(['10', '9', '8', '99']);
});
