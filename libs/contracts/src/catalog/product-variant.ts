import { Documented, IsDateTime, IsFreeForm, Optional } from '../fields/constraints.js';
import { IsExactDecimal, IsFlag } from '../fields/numbers.js';
import { IsText, IsHttpUrl } from '../fields/text.js';
import { type FreeForm } from '../tracking/tracking-message.js';

/** One version of a product, such as a size, a colour or a seller's offer. Its fields: docs/api.md#product-variant. */
export class ProductVariant {
  @Documented('Identifies the variant; a later message with the same id replaces the variant.', 'variant-42-red')
  @IsText({ max: 255 })
  variantId!: string;

  @Documented('Product the variant belongs to.', 'product-42')
  @IsText({ max: 255 })
  productId!: string;

  @Documented('Seller offering the variant.', 'seller-7')
  @IsText({ max: 255 })
  sellerId!: string;

  @Documented('Price, in the currency of the marketplace; every digit is stored.', 49.9)
  @IsExactDecimal()
  price!: number;

  @Documented('Price after discount.', 39.9)
  @Optional()
  @IsExactDecimal()
  discountedPrice?: number | null;

  @Documented('Amount in stock.', 12)
  @IsExactDecimal()
  stock!: number;

  @Documented('Whether it can be bought.', true)
  @IsFlag()
  isAvailable!: boolean;

  @Documented('Whether the product page shows this variant of the product.', true)
  @IsFlag()
  isBuyBoxWinner!: boolean;

  @Documented('Image.', 'https://example.com/images/42-red.jpg')
  @Optional()
  @IsHttpUrl({ max: 512 })
  image?: string | null;

  @Documented('Free-form metadata.', { colour: 'red' })
  @Optional()
  @IsFreeForm({ names: 'free' })
  attributes?: FreeForm | null;

  @Documented('The variant on the website.', 'https://example.com/products/42?variant=red')
  @Optional()
  @IsHttpUrl({ max: 512 })
  url?: string | null;

  @Documented(
    'When the sender changed it; of two states, the one with the later time counts.',
    '2026-01-31T12:00:00.000Z',
  )
  @Optional()
  @IsDateTime()
  updatedAt?: string | null;
}
