import { Product, ProductDeletion, type ProductRow, productTopic } from '@sluice/contracts';
import { type EntityDefinition } from './entity.js';
import { toUtc } from './to-utc.js';

/** A product becomes a row of `products`. */
export const product: EntityDefinition<Product, ProductRow, ProductDeletion> = {
  type: Product,
  topic: productTopic,
  idOf: ({ productId }) => productId,
  toColumns: (message) => ({
    product_id: message.productId,
    name: message.name,
    name_en: message.nameEn,
    created_at: toUtc(message.createdAt),
    brand: message.brand,
    category_id: message.categoryId,
    main_image: message.mainImage,
    additional_media: message.additionalMedia,
    description: message.description,
    total_stock: message.totalStock,
    is_available: message.isAvailable,
    url: message.url,
    attributes: message.attributes,
  }),
  deletion: ProductDeletion,
  toDeletedId: ({ productId }) => ['product_id', productId],
};
