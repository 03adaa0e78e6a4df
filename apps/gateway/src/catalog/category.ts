import { Category, type CategoryRow, categoryTopic } from '@sluice/contracts';
import { type Entity } from './entity.js';

/** A category becomes a row of `categories`. */
export const category: Entity<Category, CategoryRow> = {
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
};
