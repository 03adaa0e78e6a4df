import { ofInstallation } from '../installation.js';
import { type Topic } from '../topic.js';

export const sellerTopic = {
  name: ofInstallation('catalog.seller.v1'),
  contract: 'seller.v1',
} as const satisfies Topic;
export const productTopic = {
  name: ofInstallation('catalog.product.v1'),
  contract: 'product.v1',
} as const satisfies Topic;
export const productVariantTopic = {
  name: ofInstallation('catalog.product-variant.v1'),
  contract: 'product-variant.v1',
} as const satisfies Topic;
export const categoryTopic = {
  name: ofInstallation('catalog.category.v1'),
  contract: 'category.v1',
} as const satisfies Topic;
export const generalEntityTopic = {
  name: ofInstallation('catalog.general.v1'),
  contract: 'general.v1',
} as const satisfies Topic;

export const catalogTopics: readonly Topic[] = [
  sellerTopic,
  productTopic,
  productVariantTopic,
  categoryTopic,
  generalEntityTopic,
];
