import { Documented, IsDateTime, Optional } from '../fields/constraints.js';
import { IsText } from '../fields/text.js';

/** When something was deleted; each deletion also names it: docs/api.md#deletions. */
abstract class Deletion {
  @Documented('When the sender deleted it; a state with a later time brings it back.', '2026-01-31T12:00:00.000Z')
  @Optional()
  @IsDateTime()
  updatedAt?: string | null;
}

/** Deletes a seller. */
export class SellerDeletion extends Deletion {
  @Documented('Identifies the seller.', 'seller-7')
  @IsText({ max: 255 })
  sellerId!: string;
}

/** Deletes a product. */
export class ProductDeletion extends Deletion {
  @Documented('Identifies the product.', 'product-42')
  @IsText({ max: 255 })
  productId!: string;
}

/** Deletes a variant. */
export class ProductVariantDeletion extends Deletion {
  @Documented('Identifies the variant.', 'variant-42-red')
  @IsText({ max: 255 })
  variantId!: string;
}

/** Deletes a category. */
export class CategoryDeletion extends Deletion {
  @Documented('Identifies the category.', 'phones')
  @IsText({ max: 255 })
  categoryId!: string;
}

/** Deletes a entity. */
export class GeneralEntityDeletion extends Deletion {
  @Documented('Identifies the entity, whatever its type.', 'store-3')
  @IsText({ max: 255 })
  id!: string;
}
