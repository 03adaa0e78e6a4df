import { toIso } from '@sluice/clickhouse';
import { type EntityState, type EntityStatesQuery } from '@sluice/console-api';

const maxStates = 20;
/** Upper bound of the characters of a value: descriptions can be long. */
const maxValueLength = 300;

interface EntityTable {
  readonly table: string;
  readonly id: string;
  readonly columns: readonly string[];
}

/** Table of each kind of entity that has no history of its own, with the columns that are shown: not the free-form ones. */
const entityTables: Readonly<Record<EntityStatesQuery['kind'], EntityTable>> = {
  seller: {
    table: 'sellers',
    id: 'seller_id',
    columns: [
      ...['first_name', 'last_name', 'email', 'national_id', 'address', 'phone_number', 'is_active', 'is_brand'],
      'is_marketplace_owner',
    ],
  },
  product: {
    table: 'products',
    id: 'product_id',
    columns: [
      ...['name', 'name_en', 'brand', 'category_id', 'main_image', 'description', 'total_stock', 'is_available', 'url'],
    ],
  },
  category: {
    table: 'categories',
    id: 'category_id',
    columns: ['name', 'parent_category_id', 'level', 'is_leaf', 'url'],
  },
};

/** Column of the id of a kind of entity. */
export const readIdColumn = (kind: EntityStatesQuery['kind']): string => entityTables[kind].id;

/** Versions that no merge has removed yet. The same version twice is one state. */
export function makeStatesQuery(kind: EntityStatesQuery['kind']): string {
  const { table, id, columns } = entityTables[kind];
  const values = columns.map((column) => `substringUTF8(toString(${column}), 1, ${maxValueLength})`).join(', ');
  return `SELECT toString(fromUnixTimestamp64Micro(toInt64(version), 'UTC')) AS stateTime, toString(received_at) AS arrived,
    is_deleted AS isDeleted, [${values}] AS texts
  FROM ${table} WHERE source_id = {catalog:String} AND ${id} = {id:String}
  ORDER BY version DESC, stored_at DESC LIMIT 1 BY version LIMIT ${maxStates}`;
}

export interface EntityStateRow {
  readonly stateTime: string;
  readonly arrived: string;
  readonly isDeleted: boolean;
  readonly texts: readonly string[];
}

/** Shows a state. A deletion has no fields. */
export function showState(
  { stateTime, arrived, isDeleted, texts }: EntityStateRow,
  kind: EntityStatesQuery['kind'],
  mask: (name: string, text: string) => string,
): EntityState {
  const fields = entityTables[kind].columns.flatMap((name, index) => {
    const text = texts[index] ?? '';
    return isDeleted || text === '' ? [] : [{ name, value: mask(name, text) }];
  });
  return { version: toIso(stateTime), arrived: toIso(arrived), isDeleted, fields };
}
