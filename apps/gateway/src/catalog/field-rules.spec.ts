import { Category, GeneralEntity, Product, ProductVariant, Seller } from '@sluice/contracts';
import { compileSchema, MessageReader, type MessageType, Report, buildMessageSchema } from '@sluice/messages';
import { catalogCases, type EntityCases } from '@sluice/testing';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const types: Record<EntityCases['endpoint'], MessageType> = {
  seller: Seller,
  product: Product,
  productVariant: ProductVariant,
  category: Category,
  general: GeneralEntity,
};

type Body = Readonly<Record<string, unknown>>;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'; // eslint-disable-line @typescript-eslint/no-unnecessary-condition -- undefined gives undefined
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text;
};

/** Fields that class-validator refuses, without the compiled check. */
const explained = (type: MessageType, body: Body): string[] =>
  validateSync(Object.assign(new type(), body)).map(({ property }) => property);

describe.each(catalogCases)('$endpoint', ({ endpoint, message, fields }) => {
  const type = types[endpoint];
  const accepts = compileSchema(buildMessageSchema(type));
  const reader = new MessageReader(type);
  const values = (of: 'good' | 'bad') =>
    Object.entries(fields).flatMap(([field, cases]) => cases[of].map((value) => [field, shown(value), value] as const));

  it('has the documented fields', () => {
    expect(Object.keys(buildMessageSchema(type).properties).sort()).toEqual(Object.keys(fields).sort());
    expect([...(buildMessageSchema(type).required ?? [])].sort()).toEqual(Object.keys(message).sort());
  });

  it.each(values('good'))('takes %s: %s', (field, _, value) => {
    const body = { ...message, [field]: value };
    const report = new Report();

    expect(accepts(body)).toBe(true);
    expect(explained(type, body)).toEqual([]);
    expect(reader.read(body, '', report)).toEqual(value === null ? { ...message, [field]: undefined } : body);
    expect(report).toMatchObject({ problems: [], dropped: [] });
  });

  it.each(values('bad'))('refuses %s: %s', (field, _, value) => {
    const body = { ...message, [field]: value };
    const report = new Report();

    expect(accepts(body)).toBe(false);
    expect(explained(type, body)).toEqual([field]);
    expect(reader.read(body, '', report)).toBeUndefined();
    expect(report.problems).toEqual([
      { field, message: expect.stringMatching(/^(?:is missing: )?must be /) as string },
    ]);
  });

  it('names every wrong field, and drops unknown fields', () => {
    const report = new Report();
    reader.read({}, '', report);
    expect(report.problems.map(({ field }) => field).sort()).toEqual(Object.keys(message).sort());

    const other = new Report();
    expect(reader.read({ ...message, colour: 'red' }, '', other)).toEqual(message);
    expect(other.dropped).toEqual([{ field: 'colour', message: 'unknown field' }]);
  });

  it('the compiled check and class-validator accept and refuse the same bodies', { timeout: 60_000 }, () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.webUrl(),
      fc.emailAddress(),
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.object(),
      fc.array(fc.webUrl()),
      ...Object.values(fields).map(({ good, bad }) => fc.constantFrom(...good, ...bad)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(fields)), anything, (field, value) => {
        const body = { ...message, [field]: value };
        return accepts(body) === (explained(type, body).length === 0);
      }),
      { numRuns: 500 },
    );
  });
});

it.each([
  ['labels', `a@b${'.b'.repeat(126)}.1`],
  ['letters', `a@${'b'.repeat(252)}!`],
  ['dots', `${'a.'.repeat(31)}a@${'b-'.repeat(94)}.1`],
  ['half a megabyte of labels', `a@b${'.b'.repeat(250_000)}.1`],
  ['half a megabyte of spaces', ' '.repeat(500_000)],
])('refuses an address of %s without backtracking', (_, email) => {
  const seller = { sellerId: 's', email, isActive: true, isBrand: true, isMarketPlaceOwner: true };
  const accepts = compileSchema(buildMessageSchema(Seller));
  const before = process.threadCpuUsage();
  for (let i = 0; i < 20; i++) expect(accepts(seller)).toBe(false);
  expect(explained(Seller, seller)).toEqual(['email']);
  // The processor's time: the wall clock goes on while a busy machine does something else.
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
});
