import { type FreeForm } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { productIds } from './product-ids.js';

it.each<[string, FreeForm | null | undefined, string[]]>([
  ['no properties', undefined, []],
  ['null', null, []],
  ['both names', { product_id: 'a', productId: 'b' }, ['a', 'b']],
  ['whole numbers', { product_id: 7, productId: -(2 ** 53) }, ['7', '-9007199254740992']],
  ['values of other types', { product_id: '', productId: 1.5, products: 'a', items: { product_id: 'a' } }, []],
  [
    'values of types that name nothing',
    { product_id: true, productId: ['a'], items: [{ product_id: null }, { productId: { x: 'a' } }] },
    [],
  ],
  ['arrays', { products: [{ product_id: 'a' }, { productId: 2 }], items: [{ product_id: 'b' }] }, ['a', '2', 'b']],
  ['mixed arrays', { items: [1, 'x', null, { product_id: 'a' }, [{ product_id: 'b' }]] }, ['a']],
  ['one product twice', { product_id: 'a', items: [{ product_id: 'a' }, { productId: 'a' }] }, ['a']],
])('the products of %s', (_, properties, ids) => expect(productIds(properties)).toEqual(ids));
