import { ProductVariant, ProductVariantDeletion, type ProductVariantRow, productVariantTopic } from '@sluice/contracts';
import { exactDecimals } from './decimals.js';
import { type EntityDefinition } from './entity.js';

/** A variant becomes a row of `product_variants`. */
export const productVariant: EntityDefinition<ProductVariant, ProductVariantRow, ProductVariantDeletion> = {
  type: ProductVariant,
  topic: productVariantTopic,
  idOf: ({ variantId }) => variantId,
  toColumns: (message, { request: { body }, item: { path, index } }, report) => {
    const { price, discountedPrice, stock } = message;
    const text = path === '' ? body.bytes.toString() : body.itemText(index);
    const decimals = exactDecimals({ price, discountedPrice, stock }, { text, path }, report);
    return (
      decimals && {
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
      }
    );
  },
  deletion: ProductVariantDeletion,
  toDeletedId: ({ variantId }) => ['variant_id', variantId],
};
