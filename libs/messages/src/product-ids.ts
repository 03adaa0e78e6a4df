import { type FreeForm, isObject } from '@sluice/contracts';

/**
 * The products that properties name as `product_id` or `productId`, text or whole number, themselves or in the objects
 * of their arrays `products` and `items`; each once. The contract is docs/tables.md#product_performance.
 */
export function productIds(properties: FreeForm | null | undefined): string[] {
  if (!properties) return [];
  const ids: string[] = [];
  addIds(properties, ids);
  addIdsOfItems(properties['products'], ids);
  addIdsOfItems(properties['items'], ids);
  return ids.length < 2 ? ids : [...new Set(ids)];
}

function addIdsOfItems(items: unknown, ids: string[]): void {
  if (!Array.isArray(items)) return;
  for (const item of items as unknown[]) if (isObject(item)) addIds(item, ids);
}

function addIds({ product_id: snake, productId: camel }: FreeForm, ids: string[]): void {
  addId(snake, ids);
  addId(camel, ids);
}

function addId(id: unknown, ids: string[]): void {
  if (typeof id === 'string' ? id !== '' : Number.isInteger(id)) ids.push(String(id));
}
