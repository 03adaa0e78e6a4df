import { FinalError } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { type Block, createBlock, type StoredMessage } from './block.js';
import { storeBlock } from './store-block.js';

const aMessage = (offset: number, value = 'good'): StoredMessage => ({
  key: null,
  value: Buffer.from(value),
  headers: {},
  offset: String(offset),
  timestamp: '1700000000000',
});
const attempts = () => ({ onRetry: () => undefined, signal: new AbortController().signal });
const isBad = ({ value }: StoredMessage): boolean => value?.toString() === 'bad';

it('cuts a refused block until the bad messages stand alone, and stores every good one', async () => {
  const bad = new Set([0, 17, 18, 99]);
  const messages = Array.from({ length: 100 }, (_, i) => aMessage(i, bad.has(i) ? 'bad' : 'good'));
  const stored: string[] = [];
  const store = (block: Block) => {
    if (block.messages.some(isBad)) throw new FinalError('not a row');
    stored.push(...block.messages.map(({ offset }) => offset));
    return Promise.resolve([]);
  };

  const refused = await storeBlock(createBlock('t', 0, messages), store, attempts());

  expect(refused.map(({ message, reason }) => [message.offset, reason])).toEqual(
    [...bad].map((offset) => [String(offset), 'not a row']),
  );
  expect(stored).toHaveLength(96);
  expect(new Set(stored).size).toBe(96);
});

it('tries again, with the same block, when a retry can help', async () => {
  const ids: string[] = [];
  const store = ({ id }: Block) => {
    ids.push(id);
    if (ids.length < 3) throw new Error('connection reset');
    return Promise.resolve([]);
  };

  expect(await storeBlock(createBlock('t', 3, [aMessage(5), aMessage(7)]), store, attempts())).toEqual([]);
  expect(ids).toEqual(Array(3).fill('t:3:5-7@1700000000000'));
});

it('gives up only when it is told to', async () => {
  const stop = new AbortController();
  const store = () => Promise.reject(new Error('away'));
  const onRetry = () => {
    stop.abort();
  };

  await expect(storeBlock(createBlock('t', 0, [aMessage(1)]), store, { onRetry, signal: stop.signal })).rejects.toThrow(
    'abort',
  );
});
