import { ProductVariant, type ProductVariantRow, productVariantTopic } from '@sluice/contracts';
import { exactDecimals } from './decimals.js';
import { type Entity } from './entity.js';

/** A variant becomes a row of `product_variants`. */
export const productVariant: Entity<ProductVariant, ProductVariantRow> = {
  type: ProductVariant,
  topic: productVariantTopic,
  idOf: ({ variantId }) => variantId,
  toColumns: (message, { body }) => {
    const { price, discountedPrice, stock } = message;
    const decimals = exactDecimals({ price, discountedPrice, stock }, body.bytes);
    return {
      variant_id: message.variantId,
      product_id: message.productId,
      seller_id: message.sellerId,
      price: decimals.price,
      discounted_price: decimals.discountedPrice,
      stock: decimals.stock,
      is_available: message.isAvailable,
      is_buy_box_winner: message.isBuyBoxWinner,
      image: message.image,
      attributes: message.attributes,
      url: message.url,
    };
  },
};
