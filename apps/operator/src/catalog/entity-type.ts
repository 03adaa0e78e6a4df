import { basename } from 'node:path';
import { Category, GeneralEntity, Product, ProductVariant, Seller } from '@sluice/contracts';
import { OperatorError } from '../errors.js';

/** A type of catalog entity as the Sync API names it: the last part of its path. */
export const entityTypes = ['seller', 'product', 'productVariant', 'category', 'general'] as const;
export type EntityType = (typeof entityTypes)[number];

interface EntityInfo {
  message: new () => object;
  idField: string;
  /** What a file of them is called, in small letters without signs between. */
  fileNames: readonly string[];
}

export const entities: Readonly<Record<EntityType, EntityInfo>> = {
  seller: { message: Seller, idField: 'sellerId', fileNames: ['seller', 'sellers'] },
  product: { message: Product, idField: 'productId', fileNames: ['product', 'products'] },
  productVariant: {
    message: ProductVariant,
    idField: 'variantId',
    fileNames: ['productvariant', 'productvariants', 'variant', 'variants'],
  },
  category: { message: Category, idField: 'categoryId', fileNames: ['category', 'categories'] },
  general: { message: GeneralEntity, idField: 'id', fileNames: ['general', 'generalentity', 'generalentities'] },
};

/** @throws OperatorError that names the types. */
export function parseEntityType(text: string): EntityType {
  const type = entityTypes.find((one) => one === text);
  if (type === undefined) throw new OperatorError(`--type must be one of ${entityTypes.join(', ')}; it is '${text}'`);
  return type;
}

/** `product-variants.2026-01-31.csv` holds product variants. @throws OperatorError when the name does not say it. */
export function entityTypeOf(file: string): EntityType {
  const stem = (basename(file).split('.', 1)[0] ?? '').toLowerCase().replaceAll(/[^a-z]/g, '');
  const type = entityTypes.find((one) => entities[one].fileNames.includes(stem));
  if (type === undefined) {
    throw new OperatorError(
      `what ${basename(file)} holds is not clear from its name: add --type ${entityTypes.join('|')}`,
    );
  }
  return type;
}
