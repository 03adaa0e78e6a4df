import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isOneObject, mayBeOneObject } from './one-object.js';

it.each([
  ['two objects', '{"a":1}{"b":2}'],
  ['two objects with a comma', '{"a":1},{"b":2}'],
  ['two objects with a semicolon', '{"a":1};{"b":2}'],
  ['two objects with a space', '{"a":1} {"b":2}'],
  ['two objects with a comma and a tab', '{"a":1},\t{"b":2}'],
  ['two objects in two lines', '{"a":1}\n{"b":2}'],
  ['two objects, the first with a list of objects', '{"a":[{"x":1},{"x":2}]}{"b":2}'],
  ['an object and a word', '{"a":1} word'],
  ['a text that does not end', '{"a":"x}'],
  ['a text whose closing quote is escaped', '{"a":"x\\"}'],
  ['a cut object', '{"a":1,"b":'],
  ['a cut object in an object', '{"a":{"b":1}'],
  ['a line break in a text', '{"a":"x\ny"}'],
  ['an escape of fewer than four digits', '{"a":"\\u12"}'],
  ['a bracket that a brace closes', '{"a":[1,{"b":2]}}'],
  ['a backslash between texts', '{"a":"x"\\"y":""}'],
  ['a backslash before a brace', '{"a":{\\}}'],
  ['a list', '[{"a":1}]'],
  ['nothing', ''],
])('is not one object: %s', (_, json) => expect(isOneObject(Buffer.from(json))).toBe(false));

it.each([
  '{"a":1}{"b":2}',
  '{"a":1},{"b":2}',
  '{"a":1};{"b":2}',
  '{"a":1}\r{"b":2}',
  '{"a":1},\n{"b":2}',
  '{"a":"},"}{"b":2}',
])('cannot be a row: %s', (json) => expect(mayBeOneObject(Buffer.from(json))).toBe(false));

it.each(['{"a":1}', '{"a":"}{"}', '{"a":1}\n', '{\n  "a": [\n {"b": 1}, {"c": "\\\\"} ]\n}', '{"a":"\\ud83d\\ude00"}'])(
  'is one object: %s',
  (json) => {
    expect(isOneObject(Buffer.from(json))).toBe(true);
    expect(mayBeOneObject(Buffer.from(json))).toBe(true);
  },
);

it('accepts every object that JSON.stringify writes', () =>
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      for (const space of [undefined, 1]) {
        const bytes = Buffer.from(JSON.stringify(object, null, space));
        expect([isOneObject(bytes), mayBeOneObject(bytes)]).toEqual([true, true]);
      }
    }),
  ));

it('never mistakes two objects for one, whatever stands between them', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }).map((one) => JSON.stringify(one));
  const between = fc.array(fc.constantFrom(' ', ',', ';', '\t', '\r', '\n')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(object, between, object, (first, separator, second) => {
      expect(mayBeOneObject(Buffer.from(first + separator + second))).toBe(false);
    }),
  );
});
