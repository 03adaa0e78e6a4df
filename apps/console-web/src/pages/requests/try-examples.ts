import { type TryRoute } from '@sluice/console-api';

export const examples: Record<TryRoute, string> = {
  track: '{"userId":"user-1","event":"product_viewed","properties":{"sku":"A-100","price":19.9}}',
  identify: '{"userId":"user-1","traits":{"plan":"gold"}}',
  trackBatch: '{"list":[{"userId":"user-1","event":"cart_filled"},{"userId":"user-1","event":"order_completed"}]}',
  identifyBatch: '{"list":[{"userId":"user-1","traits":{"plan":"gold"}}]}',
  seller: '{"sellerId":"seller-1","firstName":"Corner shop","isActive":true}',
  product:
    '{"productId":"product-1","name":"Mug","categoryId":"kitchen","mainImage":"https://shop.example/mug.jpg","url":"https://shop.example/mug","totalStock":12,"isAvailable":true}',
  productVariant:
    '{"variantId":"variant-1","productId":"product-1","sellerId":"seller-1","price":"19.9","stock":"12","isAvailable":true,"isBuyBoxWinner":true}',
  category: '{"categoryId":"kitchen","name":"Kitchen","level":1,"isLeaf":true,"url":"https://shop.example/kitchen"}',
  general: '{"id":"store-3","type":"store","data":{"city":"Shiraz"}}',
};

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
};

export const tryRoutes = Object.entries(names).map(([value, label]) => ({ value, label }));

export const isTryRoute = (value: string | undefined): value is TryRoute => value !== undefined && value in names;

/** The kind of message of a route of the gateway, such as `/api/tracker/sdk/:source/track`. */
export function routeOf(path: string): TryRoute | undefined {
  const last = path.split('/').at(-1);
  const name = last?.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return isTryRoute(name) ? name : undefined;
}
