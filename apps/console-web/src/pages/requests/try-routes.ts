import { type TryRoute } from '@sluice/console-api';

const names: Record<TryRoute, string> = {
  track: 'Event (track)',
  identify: 'Traits (identify)',
  trackBatch: 'Events in a batch',
  identifyBatch: 'Traits in a batch',
  seller: 'Seller',
  product: 'Product',
  productVariant: 'Product variant',
  category: 'Category',
  general: 'General entity',
  sellerBatch: 'Sellers in a batch',
  productBatch: 'Products in a batch',
  productVariantBatch: 'Product variants in a batch',
  categoryBatch: 'Categories in a batch',
  generalBatch: 'General entities in a batch',
  sellerDelete: 'Deletion of sellers',
  productDelete: 'Deletion of products',
  productVariantDelete: 'Deletion of product variants',
  categoryDelete: 'Deletion of categories',
  generalDelete: 'Deletion of general entities',
};

export const tryRoutes = Object.entries(names).map(([value, label]) => ({ value, label }));

export const isTryRoute = (value: string | undefined): value is TryRoute => value !== undefined && value in names;

/** The kind of message of a route of the gateway, such as `/api/tracker/sdk/:source/track`. */
export function findTryRoute(path: string): TryRoute | undefined {
  const last = path.split('/').at(-1);
  const name = last?.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return isTryRoute(name) ? name : undefined;
}
