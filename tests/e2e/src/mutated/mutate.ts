import fc from 'fast-check';

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + '1' + close.repeat(depth);

/** Valid and almost valid JSON that replaces a value. */
const odd = [
  'null true false 0 -1 1.5 -0 1e400 -1e400 1e-400 00 01 +1 .5 5. 0x10 NaN Infinity -Infinity nan inf'.split(' '),
  '18446744073709551615 18446744073709551616 -9223372036854775809 300 65536 4294967296 1e5 9e99'.split(' '),
  ['9'.repeat(400), `0.${'3'.repeat(300)}`, '"99999999999999999999999999999999999999.9"', '"1e30"', '"-"', '"1,5"'],
  ['""', '" "', '"x"', '"null"', '"\\ud800"', '"\\udc00x"', '"\\u0000"', '"\\u12"', '"\\x41"', '"\\"', '"', "'x'"],
  ['"yesterday"', '"2026-13-45"', '"2026-02-30T25:61:61Z"', '"0000-00-00"', '"-1"', '"2500-01-01T00:00:00Z"'],
  ['"1890-01-01"', '"2026-03-04T05:06:07.1234567891234Z"', '"12:30"', '"1772600000"', '"99999999999999999999"'],
  ['"0190a6e5"', '"0190a6e5-2f3c-7d8b-9a3e-1b2c3d4e5f6g"', '"{0190a6e5-2f3c-7d8b-9a3e-1b2c3d4e5f60}"'],
  ['[]', '{}', '[1]', '[null]', '["a",1,{}]', '[[[]]]', '{"":1}', '{"a":{"a":1},"a":2}', '{"a.b":1,"a":{"b":2}}'],
  ['{"a":1', '[1', '[1,]', '{"a"}', '{"a":}', '{1:2}', '{"a":1,}', 'nul', 'tru', 'undefined', '', ' ', '\n', '/**/1'],
  [nested(20, '[', ']'), nested(600, '[', ']'), nested(5_000, '[', ']'), nested(600, '{"a":', '}')],
  [`"${'x'.repeat(100_000)}"`, `{${Array.from({ length: 1_500 }, (_, i) => `"k${i}":${i}`).join(',')}}`],
  [
    `[${'1,'.repeat(5_000)}1]`,
    '{"kafka_offset":1}',
    '[{"a":1},{"a":"x"},{"a":[1]}]',
    '{"a\\u0000b":1}',
    '{"\\ud800":1}',
  ],
].flat();

const oddBytes = [0x00, 0x0a, 0x0d, 0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x3a, 0x80, 0xc0, 0xed, 0xf5, 0xff, 0x2d];

type Edit = (bytes: Buffer) => Buffer;
const splice = (bytes: Buffer, from: number, to: number, replacement: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), replacement, bytes.subarray(to)]);

/** An edit: cuts off the end, replaces, inserts or removes bytes, repeats a part, or appends text. */
const byteEdit = (length: number): fc.Arbitrary<Edit> => {
  const place = fc.nat(length);
  const bytesToWrite = fc.array(fc.oneof(fc.constantFrom(...oddBytes), fc.nat(255)), { minLength: 1, maxLength: 4 });
  return fc.oneof(
    place.map(
      (position): Edit =>
        (bytes) =>
          bytes.subarray(0, position),
    ),
    fc.tuple(place, bytesToWrite).map(
      ([position, replacement]): Edit =>
        (bytes) =>
          splice(bytes, position, position + replacement.length, Buffer.from(replacement)),
    ),
    fc.tuple(place, bytesToWrite).map(
      ([position, replacement]): Edit =>
        (bytes) =>
          splice(bytes, position, position, Buffer.from(replacement)),
    ),
    fc.tuple(place, fc.nat(20)).map(
      ([position, count]): Edit =>
        (bytes) =>
          splice(bytes, position, position + count, Buffer.alloc(0)),
    ),
    fc.tuple(place, fc.nat(60)).map(
      ([position, n]): Edit =>
        (bytes) =>
          splice(bytes, position, position, bytes.subarray(position, position + n)),
    ),
    fc.constantFrom('{"a":1}', ',{"a":1}', '\n', '\n{"a":1}', ' x', '}', '{', ';').map(
      (text): Edit =>
        (bytes) =>
          splice(bytes, bytes.length, bytes.length, Buffer.from(text)),
    ),
  );
};

/** A row as text in which one or two members are replaced, left out, repeated or renamed. */
function memberEdit(row: object): fc.Arbitrary<Buffer> {
  const members = Object.entries(row).map(([name, value]) => ({ name, json: JSON.stringify(value) }));
  const change = fc.record({
    at: fc.nat(members.length - 1),
    json: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...odd) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
    ),
    how: fc.constantFrom('replace', 'replace', 'replace', 'twice', 'leave out', 'rename'),
  });
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) => {
    const texts = members.map(({ name, json }, i) => {
      const edit = changes.find(({ at: position }) => position === i);
      if (!edit) return [`"${name}":${json}`];
      if (edit.how === 'leave out') return [];
      if (edit.how === 'twice') return [`"${name}":${json}`, `"${name}":${edit.json}`];
      return [`"${edit.how === 'rename' ? 'kafka_offset' : name}":${edit.json}`];
    });
    return Buffer.from(`{${texts.flat().join(',')}}`);
  });
}

/** Generates damaged versions of a row's JSON. */
export function damagedRows(row: object): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(JSON.stringify(row));
  const cut = byteEdit(bytes.length).map((edit) => edit(bytes));
  const inside = fc
    .tuple(memberEdit(row), fc.nat(), fc.nat(255))
    .map(([edited, position, byte]) =>
      splice(edited, position % edited.length, (position % edited.length) + 1, Buffer.from([byte])),
    );
  return fc.oneof(
    { weight: 4, arbitrary: cut },
    { weight: 5, arbitrary: memberEdit(row) },
    { weight: 1, arbitrary: inside },
  );
}
