import { withTopicPrefix } from '../installation.js';
import { type Topic } from '../topic.js';

export const sellerTopic = {
  name: withTopicPrefix('catalog.seller.v1'),
  contract: 'seller.v1',
  deletionContract: 'seller-deletion.v1',
} as const satisfies Topic;
export const productTopic = {
  name: withTopicPrefix('catalog.product.v1'),
  contract: 'product.v1',
  deletionContract: 'product-deletion.v1',
} as const satisfies Topic;
export const productVariantTopic = {
  name: withTopicPrefix('catalog.product-variant.v1'),
  contract: 'product-variant.v1',
  deletionContract: 'product-variant-deletion.v1',
} as const satisfies Topic;
export const categoryTopic = {
  name: withTopicPrefix('catalog.category.v1'),
  contract: 'category.v1',
  deletionContract: 'category-deletion.v1',
} as const satisfies Topic;
export const generalEntityTopic = {
  name: withTopicPrefix('catalog.general.v1'),
  contract: 'general.v1',
  deletionContract: 'general-deletion.v1',
} as const satisfies Topic;

export const catalogTopics: readonly Topic[] = [
  sellerTopic,
  productTopic,
  productVariantTopic,
  categoryTopic,
  generalEntityTopic,
];
