import { type FreeForm, isObject } from '@sluice/contracts';

/** Number of ids up to which each is compared with the others: a set takes longer for few. */
const maxCompared = 16;

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
  return ids.length <= maxCompared ? ids : [...new Set(ids)];
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
  const text = typeof id === 'number' && Number.isInteger(id) ? String(id) : id;
  if (typeof text !== 'string' || text === '') return;
  if (ids.length >= maxCompared || !ids.includes(text)) ids.push(text);
}
