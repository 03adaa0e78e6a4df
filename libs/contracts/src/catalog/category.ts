import { Documented, IsDateTime, Optional } from '../fields/constraints.js';
import { IsFlag, IsInt32 } from '../fields/numbers.js';
import { IsAnyText, IsText, IsHttpUrl } from '../fields/text.js';

/** A node of the category tree. Its fields: docs/api.md#category. */
export class Category {
  @Documented('Identifies the category; a later message with the same id replaces the category.', 'phones')
  @IsText({ max: 255 })
  categoryId!: string;

  @Documented('Name.', 'Phones')
  @IsText({ max: 255 })
  name!: string;

  @Documented('Parent in the category tree; none, or empty, for a root.', 'electronics')
  @Optional()
  @IsAnyText({ max: 255 })
  parentCategoryId?: string | null;

  @Documented('Level in the tree.', 2)
  @IsInt32()
  level!: number;

  @Documented('Whether the category has no categories below it.', true)
  @IsFlag()
  isLeaf!: boolean;

  @Documented('The category on the website.', 'https://example.com/phones')
  @IsHttpUrl({ max: 512 })
  url!: string;

  @Documented(
    'When the sender changed it; of two states, the one with the later time counts.',
    '2026-01-31T12:00:00.000Z',
  )
  @Optional()
  @IsDateTime()
  updatedAt?: string | null;
}
