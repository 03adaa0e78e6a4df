import { Product, type ProductRow, productTopic } from '@sluice/contracts';
import { type Entity, utc } from './entity.js';

/** A product becomes a row of `products`. */
export const product: Entity<Product, ProductRow> = {
  type: Product,
  topic: productTopic,
  idOf: ({ productId }) => productId,
  toColumns: (message) => ({
    product_id: message.productId,
    name: message.name,
    name_en: message.nameEn,
    created_at: utc(message.createdAt),
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
};
