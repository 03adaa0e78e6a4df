import { acceptedDestinations } from '@sluice/operations';

/** SQL expressions for the facts of a table's messages. */
export interface EventKind {
  readonly topic: string;
  readonly table: string;
  /** Name of the event. */
  readonly event: string;
  /** The name, if all rows of the table have the same one. */
  readonly constant?: string;
  readonly user: string;
  readonly anonymous: string;
  readonly entity: string;
  /** SQL of JSON texts that are searched. */
  readonly bags: readonly string[];
  /** Columns that are not shown at all. */
  readonly except?: string;
}

type KindColumns = Omit<EventKind, 'topic' | 'table'>;

const describeKind = (
  constant: string,
  entity: string,
  bags: readonly string[],
  overrides: Partial<KindColumns> = {},
): KindColumns => ({
  event: `'${constant}'`,
  constant,
  user: "''",
  anonymous: "''",
  entity,
  bags,
  ...overrides,
});
const buildNamesColumn = (...columns: string[]): string =>
  `toJSONString(map(${columns.map((column) => `'${column}', ${column}`).join(', ')}))`;
const person = { user: 'user_id', anonymous: 'anonymous_id' };

const byTable: Readonly<Record<string, KindColumns>> = {
  events: { event: 'event', ...person, entity: "''", bags: ['toString(properties)', 'toString(context)'] },
  identifies: describeKind('identify', "''", ['toString(traits)', 'toString(context)'], person),
  ad_requests: describeKind('adRequest', "''", ['toString(body)']),
  sellers: describeKind('seller', 'seller_id', [buildNamesColumn('first_name', 'last_name'), 'toString(attributes)']),
  products: describeKind('product', 'product_id', [buildNamesColumn('name', 'name_en'), 'toString(attributes)']),
  product_variants: describeKind('productVariant', 'variant_id', ['toString(attributes)']),
  categories: describeKind('category', 'category_id', [buildNamesColumn('name', 'parent_category_id')]),
  general_entities: describeKind('general', 'id', ['toString(data)']),
  push_interactions: { event: 'interaction', ...person, entity: 'notification_id', bags: [] },
  // The key is the push token of the device.
  push_devices: describeKind('device', 'device_id', [], { ...person, except: 'key' }),
};

/** How each table is read as a list of events: all kinds of messages that were accepted. */
export const eventKinds: readonly EventKind[] = acceptedDestinations.map(({ topic, table }) => {
  const columns = byTable[table];
  if (!columns) throw new Error(`the events page does not know the table ${table}`);
  return { topic, table, ...columns };
});
