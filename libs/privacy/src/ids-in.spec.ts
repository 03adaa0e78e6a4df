import { expect, it } from 'vitest';
import { idsIn } from './ids-in.js';

it('finds the ids of people in what a client sent', () => {
  const body =
    '{"list":[{"userId":"u-1","anonymousId" : "a\\u002d1"},{"userId":"u-1"},{"type":"alias","previousId":42}]';
  expect(idsIn(body)).toEqual(['u-1', 'a-1', '42']);
});

it('finds them in a text that is not JSON, and nothing elsewhere', () => {
  expect(idsIn('{"userId":"u-1","event":')).toEqual(['u-1']);
  expect(idsIn('{"userId":{"a":"u-1"},"id":"u-2","text":"\\"userId\\":\\"u-3\\""}')).toEqual([]);
});

it('reads a long text in linear time', () => {
  const start = performance.now();
  idsIn('"userId":"'.repeat(100_000));
  idsIn(`"userId":"${'\\'.repeat(100_000)}`);
  idsIn(`"userId"${' '.repeat(100_000)}`);
  expect(performance.now() - start).toBeLessThan(2_000);
});
