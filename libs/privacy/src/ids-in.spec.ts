import { Random, spellMember } from '@sluice/testing';
import { expect, it } from 'vitest';
import { findIds } from './ids-in.js';

it('finds the ids of people in what a client sent', () => {
  const body =
    '{"list":[{"userId":"u-1","anonymousId" : "a\\u002d1"},{"userId":"u-1"},{"type":"alias","previousId":42}]';
  expect(findIds(body)).toEqual(['u-1', 'a-1', '42']);
});

it('finds them in a text that is not JSON, and nothing elsewhere', () => {
  expect(findIds('{"userId":"u-1","event":')).toEqual(['u-1']);
  expect(findIds('{"userId":{"a":"u-1"},"id":"u-2","text":"\\"userId\\":\\"u-3\\""}')).toEqual([]);
});

const names = ['userId', 'anonymousId', 'previousId', 'groupId', 'user_id', 'anonymous_id'];
const ids = ['u-1', '42', '0', '1234567890123', 'a"b\\c/d', 'Zoë', '\u{1f600}', 'x\ny', 'nul\u0000l', '"userId":"x"'];

it('finds an id in each of its spellings, under each name, in whole texts and in those that are cut off', () => {
  const random = new Random(7);
  for (let run = 0; run < 5_000; run++) {
    const [name, id] = [random.pick(names), random.pick(ids)];
    const member = spellMember(random, name, id);
    const other = spellMember(random, random.pick(['event', 'userid', 'id']), 'nobody');
    const item = `{${random.shuffled([member, other]).join(',')}}`;
    const body = random.pick([item, `{"list":[{"event":"e"},${item}]}`, `{"context":{"traits":${item}}}`]);
    expect(() => JSON.parse(body) as unknown).not.toThrow();
    expect([body, findIds(body)]).toEqual([body, expect.arrayContaining([id])]);
    expect([body, findIds(body)]).not.toEqual([body, expect.arrayContaining(['nobody'])]);
    const cut = body.slice(random.below(body.indexOf(member) + 1), body.indexOf(member) + member.length);
    expect([cut, findIds(cut)]).toEqual([cut, expect.arrayContaining([id])]);
  }
});

it('finds an id of 256 characters, all of them escaped', () => {
  const id = '\u{1f600}'.repeat(256);
  const escaped = id.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
  expect(findIds(`{"userId":"${escaped}"}`)).toEqual([id]);
});

it('reads a long text in linear time', () => {
  const start = performance.now();
  findIds('"userId":"'.repeat(100_000));
  findIds(`"userId":"${'\\'.repeat(100_000)}`);
  findIds(`"userId"${' '.repeat(100_000)}`);
  findIds('"\\u0075ser'.repeat(100_000));
  findIds('"userId":"'.repeat(10).concat('\\u0041'.repeat(100_000)));
  expect(performance.now() - start).toBeLessThan(2_000);
});
