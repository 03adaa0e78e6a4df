import { OperationError } from '@sluice/operations';
import { expect, it } from 'vitest';
import { requireEntityType, parseEntityType } from './entity-type.js';

it.each([
  ['sellers.ndjson', 'seller'],
  ['/data/Products.csv', 'product'],
  ['product-variants.2026-01-31.ndjson', 'productVariant'],
  ['productVariant.csv', 'productVariant'],
  ['variants_1.csv', 'productVariant'],
  ['categories.ndjson', 'category'],
  ['general.ndjson', 'general'],
])('%s holds entities of type %s', (file, type) => expect(requireEntityType(file)).toBe(type));

it('asks for the type when it is not clear from the name', () => {
  expect(() => requireEntityType('export.csv')).toThrow(OperationError);
  expect(() => requireEntityType('export.csv')).toThrow('--type seller|product|productVariant|category|general');
  expect(() => parseEntityType('products')).toThrow('--type must be one of seller, product');
});
