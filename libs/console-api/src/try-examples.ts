import { type TryRoute } from './try.js';

/** Messages one by one. Those of the catalog are the items of batches, too. */
const single = {
  track: '{"userId":"user-1","event":"product_viewed","properties":{"sku":"A-100","price":19.9}}',
  identify: '{"userId":"user-1","traits":{"plan":"gold"}}',
  seller:
    '{"sellerId":"seller-1","firstName":"Ada","email":"ada@shop.example","isActive":true,"isBrand":false,"isMarketPlaceOwner":false}',
  product:
    '{"productId":"product-1","name":"Mug","categoryId":"kitchen","mainImage":"https://shop.example/mug.jpg","url":"https://shop.example/mug","totalStock":12,"isAvailable":true}',
  productVariant:
    '{"variantId":"variant-1","productId":"product-1","sellerId":"seller-1","price":19.9,"stock":12,"isAvailable":true,"isBuyBoxWinner":true}',
  category: '{"categoryId":"kitchen","name":"Kitchen","level":1,"isLeaf":true,"url":"https://shop.example/kitchen"}',
  general: '{"id":"store-3","type":"store","data":{"city":"Shiraz"}}',
};

const list = (...items: string[]): string => `{"list":[${items.join(',')}]}`;

/** A body that each route takes whole: a test sends them to the gateway. */
export const tryExamples: Record<TryRoute, string> = {
  ...single,
  trackBatch: list('{"userId":"user-1","event":"cart_filled"}', '{"userId":"user-1","event":"order_completed"}'),
  identifyBatch: list('{"userId":"user-1","traits":{"plan":"gold"}}'),
  sellerBatch: list(single.seller),
  productBatch: list(single.product),
  productVariantBatch: list(single.productVariant),
  categoryBatch: list(single.category),
  generalBatch: list(single.general),
  sellerDelete: list('{"sellerId":"seller-1"}'),
  productDelete: list('{"productId":"product-1","updatedAt":"2026-03-01T12:00:00Z"}'),
  productVariantDelete: list('{"variantId":"variant-1"}', '{"variantId":"variant-2"}'),
  categoryDelete: list('{"categoryId":"kitchen"}'),
  generalDelete: list('{"id":"store-3"}'),
};
