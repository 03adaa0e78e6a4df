import { Category, CategoryDeletion, type CategoryRow, categoryTopic } from '@sluice/contracts';
import { type EntityDefinition } from './entity.js';

/** A category becomes a row of `categories`. */
export const category: EntityDefinition<Category, CategoryRow, CategoryDeletion> = {
  type: Category,
  topic: categoryTopic,
  idOf: ({ categoryId }) => categoryId,
  toColumns: (message) => ({
    category_id: message.categoryId,
    name: message.name,
    parent_category_id: message.parentCategoryId,
    level: message.level,
    is_leaf: message.isLeaf,
    url: message.url,
  }),
  deletion: CategoryDeletion,
  toDeletedId: ({ categoryId }) => ['category_id', categoryId],
};
