import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseForeignRecord, withExactIds } from './exact-ids.js';

const exact = (text: string) => withExactIds(JSON.parse(text), () => text);

it('keeps every digit of ids that are numbers', () =>
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
      fc.constantFrom('userId', 'anonymousId', 'messageId', 'previousId', 'groupId'),
      (id, name) => {
        const { item } = exact(`{"a":{"${name}":1e30}, "${name}" : ${id} ,"b":1}`);
        expect(String((item as Record<string, unknown>)[name])).toBe(String(id));
      },
    ),
  ));

it('returns other items as they are', () => {
  for (const item of [7, null, [], { userId: 42, properties: { userId: 2 ** 60 } }])
    expect(withExactIds(item, () => '').item).toBe(item);
});

it('takes the last of several members, and other forms of a number as they were taken', () => {
  expect(exact('{"userId":1234567890123456789,"userId":1234567890123456788}').item).toEqual({
    userId: '1234567890123456788',
  });
  expect(exact('{"userId":1e30,"messageId":12345678901234567890.0}').item).toEqual({
    ...{ userId: '1e+30', messageId: '12345678901234567000' },
  });
});

it('names an id whose text is that of another item', () =>
  expect(withExactIds({ userId: 2 ** 60 }, () => '{"userId":7}')).toMatchObject({ unknownId: 'userId' }));

it('a record of another system keeps the digits of its ids, at any depth, and no others', () =>
  expect(
    parseForeignRecord(
      '{"userId":1234567890123456789,"properties":{"distinct_id":1234567890123456788,"$insert_id":7,"n":1152921504606846976}}',
    ),
  ).toEqual({
    userId: '1234567890123456789',
    properties: { distinct_id: '1234567890123456788', $insert_id: 7, n: 2 ** 60 },
  }));
