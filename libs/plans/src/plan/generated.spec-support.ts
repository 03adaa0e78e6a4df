import { type FreeForm } from '@sluice/contracts';
import fc from 'fast-check';
import { type ObjectShape, type Property, type Scalar, allowedTypes, type ValueType } from './plan.js';

/** Includes names of members that every object inherits: a plan or message with them must not be misread. */
const names = ['id', 'total', 'constructor', 'hasOwnProperty', 'toString', '__proto__', 'a', 'b', '$c-d'] as const;
const plannedName = fc.constantFrom(...names.filter((name) => name !== '__proto__'));
const sentName = fc.constantFrom(...names, 'unplanned', 'a.b', 'id.a', 'a.b.id', 'constructor.a');

const texts = ['', 'x', 'red', 'blue', '🌹🌹', 'abcdef', '2024-02-29', '2024-02-30', '2024-02-29T10:00:00Z'] as const;
const moreTexts = ['ada@example.com', 'https://shop.example/x', '6f1c1f2e-6d7a-4b57-9d66-3c0c8f0f2a11'] as const;
const text = fc.oneof(fc.constantFrom(...texts, ...moreTexts), fc.string({ unit: 'binary', maxLength: 8 }));
const number = fc.oneof(
  fc.constantFrom(-0, 0, 1, 2, 5, 5.5, -1, 1e308, 2 ** 53),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar: fc.Arbitrary<Scalar> = fc.oneof(text, number, fc.boolean());

const type = fc.constantFrom<ValueType>('string', 'number', 'integer', 'boolean', 'object', 'array');
const types = fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }), fc.constant(undefined));

/** Keeps the words that the types of a property allow. */
function fitting({ words, ...property }: Property & { words: Property }): Property {
  const has = (...some: ValueType[]): boolean => allowedTypes(property).some((one) => some.includes(one));
  const { minimum, maximum, maxLength, format, items, properties, required, additionalProperties } = words;
  return Object.fromEntries(
    Object.entries({
      ...property,
      ...(has('number', 'integer') && { minimum, maximum }),
      ...(has('string') && { maxLength, format }),
      ...(has('array') && { items }),
      ...(has('object') && { properties, required, additionalProperties }),
    }).filter(([, value]: readonly [string, unknown]) => value !== undefined),
  );
}

const someScalars = fc.uniqueArray(scalar, { minLength: 1, maxLength: 4, selector: (one) => `${typeof one}:${one}` });

const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined, freq: 2 });

const tied = fc.letrec<{ shape: ObjectShape; property: Property }>((tie) => ({
  shape: fc
    .record({
      properties: fc.dictionary(plannedName, tie('property'), { maxKeys: 4 }),
      isRequired: fc.infiniteStream(fc.boolean()),
      additionalProperties: maybe(fc.boolean()),
    })
    .map(({ properties, isRequired, additionalProperties }) => ({
      properties,
      required: Object.keys(properties).filter(() => isRequired.next().value === true),
      ...(additionalProperties !== undefined && { additionalProperties }),
    })),
  property: fc
    .record({
      type: types,
      enum: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: someScalars }),
      words: fc.record({
        minimum: maybe(fc.constantFrom(-1, 0, 1)),
        maximum: maybe(fc.constantFrom(1, 2, 5)),
        maxLength: maybe(fc.constantFrom(0, 1, 3)),
        format: maybe(fc.constantFrom('date-time', 'date', 'email', 'uri', 'uuid')),
        items: fc.option(tie('property'), { nil: undefined, maxDepth: 3 }),
        nested: fc.option(tie('shape'), { nil: undefined, maxDepth: 3 }),
      }),
    })
    .map(({ words: { nested, ...words }, ...property }) =>
      fitting({ ...property, words: { ...words, ...nested } } as Property & { words: Property }),
    ),
}));

/** A shape that `parsePlan` accepts. */
export const aShape = tied.shape;

const anyValue = fc.letrec<{ value: unknown; object: FreeForm }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.constant(null), tie('object'), fc.array(tie('value'), { maxLength: 3 })),
  object: objectOf(fc.array(fc.tuple(sentName, tie('value')), { maxLength: 4 })),
}));

/** The object that JSON.parse makes: a member named __proto__ is one of its own. */
function objectOf(members: fc.Arbitrary<[string, unknown][]>): fc.Arbitrary<FreeForm> {
  return members.map((entries) => Object.fromEntries(entries));
}

/** Properties that mostly fit the shape, so that both answers are frequent. */
export function aMessageFor(shape: ObjectShape): fc.Arbitrary<FreeForm> {
  const planned = Object.entries(shape.properties ?? {}).map(([name, property]) =>
    fc.tuple(fc.constant(name), fc.option(aValueFor(property), { nil: null, freq: 12 })),
  );
  const extraName = fc.oneof(sentName, ...dottedNamesOf(shape).map((name) => fc.constant(name)));
  const extra = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(fc.tuple(extraName, anyValue.value), { maxLength: 2 }) },
  );
  return objectOf(
    fc
      .tuple(
        fc
          .subarray(planned, { minLength: planned.length > 0 ? planned.length - 1 : 0 })
          .chain((some) => fc.tuple(...some)),
        extra,
      )
      .map(([some, more]) => [...more, ...some]),
  );
}

function aValueFor(property: Property): fc.Arbitrary<unknown> {
  const fits: fc.Arbitrary<unknown>[] = (property.enum ?? []).map((one) => fc.constant(one));
  for (const one of property.enum ? [] : allowedTypes(property)) fits.push(aValueOf(one, property));
  return fits.length === 0
    ? anyValue.value
    : fc.oneof({ weight: 9, arbitrary: fc.oneof(...fits) }, { weight: 1, arbitrary: anyValue.value });
}

function aValueOf(type: ValueType, property: Property): fc.Arbitrary<unknown> {
  const { minimum = -1, maximum = 5, format, maxLength = 8 } = property;
  switch (type) {
    case 'string':
      return format === undefined ? fc.string({ unit: 'grapheme', maxLength }) : text;
    case 'number':
      return fc.constantFrom(minimum, maximum, 5.5);
    case 'integer':
      return fc.integer({ min: minimum, max: Math.max(minimum, maximum) });
    case 'boolean':
      return fc.boolean();
    case 'object':
      return aMessageFor(property);
    case 'array':
      return property.items
        ? fc.array(aValueFor(property.items), { maxLength: 3 })
        : fc.array(anyValue.value, { maxLength: 3 });
  }
}

/** Names by which a client can send the members of planned objects without an object. */
const dottedNamesOf = ({ properties = {} }: ObjectShape): string[] =>
  Object.entries(properties).flatMap(([name, { properties: members = {} }]) =>
    Object.keys(members).map((member) => `${name}.${member}`),
  );
