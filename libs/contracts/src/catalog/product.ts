import { Documented, IsDateTime, IsFreeForm, Optional } from '../fields/constraints.js';
import { IsFlag, IsInt32 } from '../fields/numbers.js';
import { IsAnyText, IsListOfUrls, IsText, IsHttpUrl } from '../fields/text.js';
import { type FreeForm } from '../tracking/tracking-message.js';

/** An article of the marketplace. Its fields: docs/api.md#product. */
export class Product {
  @Documented('Identifies the product; a later message with the same id replaces the product.', 'product-42')
  @IsText({ max: 255 })
  productId!: string;

  @Documented('Name.', 'گوشی موبایل')
  @IsText({ max: 255 })
  name!: string;

  @Documented('Name in English.', 'Mobile phone')
  @Optional()
  @IsAnyText({ max: 255 })
  nameEn?: string | null;

  @Documented('When the product was created.', '2026-01-31T12:00:00.000Z')
  @Optional()
  @IsDateTime()
  createdAt?: string | null;

  @Documented('Brand.', 'Acme')
  @Optional()
  @IsAnyText({ max: 255 })
  brand?: string | null;

  @Documented('Id of the leaf category of the product.', 'phones')
  @IsText({ max: 255 })
  categoryId!: string;

  @Documented('Main image.', 'https://example.com/images/42.jpg')
  @IsHttpUrl({ max: 512 })
  mainImage!: string;

  @Documented('Extra images or videos.', ['https://example.com/images/42-back.jpg'])
  @Optional()
  @IsListOfUrls({ max: 512 })
  additionalMedia?: string[] | null;

  @Documented('Description.')
  @Optional()
  @IsAnyText()
  description?: string | null;

  @Documented('Pieces in stock, of all variants.', 120)
  @IsInt32()
  totalStock!: number;

  @Documented('Whether it can be bought.', true)
  @IsFlag()
  isAvailable!: boolean;

  @Documented('The product on the website.', 'https://example.com/products/42')
  @IsHttpUrl({ max: 512 })
  url!: string;

  @Documented('Free-form metadata.', { material: 'steel' })
  @Optional()
  @IsFreeForm({ names: 'free' })
  attributes?: FreeForm | null;

  @Documented(
    'When the sender changed it; of two states, the one with the later time counts.',
    '2026-01-31T12:00:00.000Z',
  )
  @Optional()
  @IsDateTime()
  updatedAt?: string | null;
}
