import fc from 'fast-check';

/** Names, with and without dots, that collide on purpose. */
const collidingName = fc.constantFrom('a', 'b', 'c', 'a.b', 'a.b.c', 'b.c', 'a.c');
const restrictedName = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Za-z0-9_\-.$]{1,12}$/) },
  { weight: 3, arbitrary: collidingName },
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(64),
    'a..b',
    '.a',
    'a.',
    '.',
    '$',
    '-',
    '0',
    'null',
  ),
);
const freeName = fc.oneof(
  { weight: 3, arbitrary: restrictedName },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '"',
    '\\',
    '`',
    "'",
    '[]',
    'a[]',
    'é',
    'e\u0301',
    '🌹',
    '%2E',
    '\ud800',
    'n'.repeat(4_096),
  ),
  fc.constantFrom('n'.repeat(4_097), 'a.b.c.d.e.f.g.h', 'a.b.c.d.e.f.g.h.i'),
);

const lookAlike = fc.constantFrom(
  '2024-01-05',
  '2024-01-05T10:00:00+02:00',
  'Jan 5 2024',
  '1',
  '-1.50',
  '1e5',
  '007',
  'true',
  'FALSE',
  'null',
  'NaN',
  'inf',
  '550e8400-e29b-41d4-a716-446655440000',
  '10.0.0.1',
  '[1,2]',
  '{"b":1}',
  '',
  ' ',
  '\\N',
  '\ud800',
  '\udc00x',
);
const text = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: lookAlike },
  fc.string({
    unit: fc.constantFrom('\0', '\x01', '\x1f', '\x7f', '\n', '\t', '"', '\\', '/', '\u2028', '\ufeff'),
    maxLength: 6,
  }),
  fc.constantFrom('é'.repeat(4_096), '🌹'.repeat(4_096), 'x'.repeat(4_097)),
);
const number = fc.oneof(
  { weight: 2, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  fc.maxSafeInteger(),
  fc.constantFrom(
    0,
    -0,
    0.1,
    1e-7,
    Number.MIN_VALUE,
    2.2250738585072014e-308,
    2 ** 53,
    -(2 ** 53),
    2 ** 53 + 2,
    2 ** 63,
    1e300,
  ),
  fc.constantFrom(1.5, 4294967296, -2147483649, 123456789.12345679, 1e21, 0.30000000000000004),
);
const scalar = fc.oneof(text, text, number, number, fc.boolean(), fc.constant(null));

/** Generates free-form objects as hostile as JSON allows. `depth` counts levels of objects and arrays. */
function generateObjects(name: fc.Arbitrary<string>, depth: number): fc.Arbitrary<object> {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: depth },
      { weight: 5, arbitrary: scalar },
      { weight: 2, arbitrary: tie('object') },
      { weight: 2, arbitrary: tie('array') },
    ),
    object: fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map(objectFromEntries),
    array: fc.array(tie('value'), { maxLength: 5 }),
  }));
  return fc.array(fc.tuple(name, value.value), { maxLength: 6 }).map(objectFromEntries);
}

/** Treats `__proto__` like any other name, as JSON.parse does. */
function objectFromEntries(entries: [string, unknown][]): object {
  return Object.fromEntries(entries);
}

export const generatedProperties = generateObjects(restrictedName, 9);
export const generatedContext = generateObjects(freeName, 9);
