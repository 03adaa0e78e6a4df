import { basename } from 'node:path';
import { Category, GeneralEntity, Product, ProductVariant, Seller } from '@sluice/contracts';
import { OperationError } from '@sluice/operations';

/** Types of catalog entities, named like the last part of their path in the Sync API. */
export const entityTypes = ['seller', 'product', 'productVariant', 'category', 'general'] as const;
export type EntityType = (typeof entityTypes)[number];

interface EntityInfo {
  message: new () => object;
  idField: string;
  /** Names of files with such entities, in lower case and without separators. */
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

/** @throws OperationError that lists the types. */
export function parseEntityType(text: string): EntityType {
  const type = entityTypes.find((entityType) => entityType === text);
  if (type === undefined) throw new OperationError(`--type must be one of ${entityTypes.join(', ')}; it is '${text}'`);
  return type;
}

/** Finds the type by name: `product-variants.2026-01-31.csv` has product variants. @throws OperationError if unclear. */
export function requireEntityType(file: string): EntityType {
  const stem = (basename(file).split('.', 1)[0] ?? '').toLowerCase().replaceAll(/[^a-z]/g, '');
  const type = entityTypes.find((entityType) => entities[entityType].fileNames.includes(stem));
  if (type === undefined) {
    throw new OperationError(
      `the type of the entities is not clear from the name ${basename(file)}: add --type ${entityTypes.join('|')}`,
    );
  }
  return type;
}
