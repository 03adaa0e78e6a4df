import {
  dateTime,
  email,
  type FieldCases,
  flag,
  freeFormCases,
  int32,
  longText,
  optionalDecimal,
  optionalText,
  optionalUrl,
  requiredDecimal,
  requiredText,
  requiredUrl,
  textOfTen,
  urls,
} from './field-cases.js';

/** A type of catalog entity: an accepted message, and good and bad values for each of its fields. */
export interface EntityCases {
  readonly endpoint: 'seller' | 'product' | 'productVariant' | 'category' | 'general';
  /** Has only the required fields. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldCases>>;
}

const page = 'https://example.com/page';

/** The tables of docs/api.md#catalog-messages, as values. */
export const catalogCases: readonly EntityCases[] = [
  {
    endpoint: 'seller',
    message: { sellerId: 's', email: 'a@bc.de', isActive: true, isBrand: false, isMarketPlaceOwner: false },
    fields: {
      sellerId: requiredText(255),
      firstName: optionalText(255),
      lastName: optionalText(255),
      email,
      nationalId: textOfTen,
      address: optionalText(512),
      phoneNumber: optionalText(20),
      isActive: flag,
      isBrand: flag,
      isMarketPlaceOwner: flag,
      createdAt: dateTime,
      attributes: freeFormCases,
      updatedAt: dateTime,
    },
  },
  {
    endpoint: 'product',
    message: {
      productId: 'p',
      name: 'Name',
      categoryId: 'c',
      mainImage: page,
      totalStock: 1,
      isAvailable: true,
      url: page,
    },
    fields: {
      productId: requiredText(255),
      name: requiredText(255),
      nameEn: optionalText(255),
      createdAt: dateTime,
      brand: optionalText(255),
      categoryId: requiredText(255),
      mainImage: requiredUrl,
      additionalMedia: urls,
      description: longText,
      totalStock: int32,
      isAvailable: flag,
      url: requiredUrl,
      attributes: freeFormCases,
      updatedAt: dateTime,
    },
  },
  {
    endpoint: 'productVariant',
    message: {
      variantId: 'v',
      productId: 'p',
      sellerId: 's',
      price: 1,
      stock: 1,
      isAvailable: true,
      isBuyBoxWinner: true,
    },
    fields: {
      variantId: requiredText(255),
      productId: requiredText(255),
      sellerId: requiredText(255),
      price: requiredDecimal,
      discountedPrice: optionalDecimal,
      stock: requiredDecimal,
      isAvailable: flag,
      isBuyBoxWinner: flag,
      image: optionalUrl,
      attributes: freeFormCases,
      url: optionalUrl,
      updatedAt: dateTime,
    },
  },
  {
    endpoint: 'category',
    message: { categoryId: 'c', name: 'Name', level: 1, isLeaf: true, url: page },
    fields: {
      categoryId: requiredText(255),
      name: requiredText(255),
      parentCategoryId: optionalText(255),
      level: int32,
      isLeaf: flag,
      url: requiredUrl,
      updatedAt: dateTime,
    },
  },
  {
    endpoint: 'general',
    message: { id: 'i' },
    fields: { id: requiredText(255), type: optionalText(255), data: freeFormCases, updatedAt: dateTime },
  },
];
