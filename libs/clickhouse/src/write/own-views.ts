import { type FilledTarget } from './table-writer.js';

const fillsMessages = (table: string): FilledTarget => ({
  name: `catalog_messages_from_${table}`,
  target: 'catalog_messages',
});

/** Materialized views of the migrations, by the table that they read; all others are foreign. */
export const ownViews: ReadonlyMap<string, readonly FilledTarget[]> = new Map([
  ['identifies', [{ name: 'users_from_identifies', target: 'users' }]],
  ...['sellers', 'products', 'categories', 'general_entities'].map((table): [string, readonly FilledTarget[]] => [
    table,
    [fillsMessages(table)],
  ]),
  [
    'product_variants',
    [fillsMessages('product_variants'), { name: 'variant_states_from_product_variants', target: 'variant_states' }],
  ],
]);
