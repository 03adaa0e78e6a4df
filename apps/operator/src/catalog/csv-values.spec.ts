import { readFieldTypes, Product, ProductVariant } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { convertCell, convertRow } from './csv-values.js';

it.each([
  ['007', 'string', '"007"'],
  ['true', 'string', '"true"'],
  ['شیراز "x"', 'string', '"شیراز \\"x\\""'],
  ['49.90', 'number', '49.90'],
  ['12345678901234567890.123456789', 'number', '12345678901234567890.123456789'],
  ['-1e-7', 'number', '-1e-7'],
  ['1,5', 'number', '"1,5"'],
  ['007', 'integer', '"007"'],
  ['٧', 'integer', '"٧"'],
  ['false', 'boolean', 'false'],
  ['1', 'boolean', '"1"'],
  ['TRUE', 'boolean', 'true'],
  ['False', 'boolean', 'false'],
  ['yes', 'boolean', '"yes"'],
  ['["https://a.b"]', 'array', '["https://a.b"]'],
  ['https://a.b', 'array', '"https://a.b"'],
  ['{"a":1.0}', 'object', '{"a":1.0}'],
] as const)('%s as %s is %s', (cell, type, json) => expect(convertCell(cell, type)).toBe(json));

it('converts a row by the types of its fields, and leaves out empty cells', () => {
  const variant = { variantId: '1', price: '10', isAvailable: 'true', image: '', attributes: '{"a":[1]}' };
  expect(convertRow(variant, readFieldTypes(ProductVariant))).toBe(
    '{"variantId":"1","price":10,"isAvailable":true,"attributes":{"a":[1]}}',
  );
  const types = Object.fromEntries(readFieldTypes(Product));
  expect(types).toMatchObject({ totalStock: 'integer', additionalMedia: 'array', createdAt: 'string' });
});
