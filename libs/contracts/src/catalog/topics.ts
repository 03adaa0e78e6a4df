import { type Topic } from '../topic.js';

export const sellerTopic = { name: 'catalog.seller.v1', contract: 'seller.v1' } as const satisfies Topic;
export const productTopic = { name: 'catalog.product.v1', contract: 'product.v1' } as const satisfies Topic;
export const productVariantTopic = {
  name: 'catalog.product-variant.v1',
  contract: 'product-variant.v1',
} as const satisfies Topic;
export const categoryTopic = { name: 'catalog.category.v1', contract: 'category.v1' } as const satisfies Topic;
export const generalEntityTopic = { name: 'catalog.general.v1', contract: 'general.v1' } as const satisfies Topic;

export const catalogTopics: readonly Topic[] = [
  sellerTopic,
  productTopic,
  productVariantTopic,
  categoryTopic,
  generalEntityTopic,
];
