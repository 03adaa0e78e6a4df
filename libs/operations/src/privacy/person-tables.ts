import { type HashedPeople } from './people.js';

/** How rows of people are found in a table. */
export interface PersonTable {
  readonly table: string;
  /** SQL condition for the rows of these people; undefined when none of them can have any. */
  readonly condition: (people: HashedPeople, options: TableOptions) => string | undefined;
  /** SQL array of the hashes of a row's ids, which show whose row it is. */
  readonly hashes: (options: TableOptions) => string;
}

export interface TableOptions {
  /** Paths within the body of an ad request at which an id of a person stands. */
  readonly adRequestPaths: readonly string[];
}

const listed = (hashes: readonly bigint[]): string => hashes.join(', ');
const among = (expression: string, hashes: readonly bigint[]): string[] =>
  hashes.length === 0 ? [] : [`${expression} IN (${listed(hashes)})`];
/** SQL hash of an id of a row. A row without the id gets the hash of the empty text, which matches nobody. */
const hashOf = (kind: string, id: string): string => `sipHash64('${kind}', ${id})`;

/** The hash of the id that a row came under, as the column `identity` of events has it. */
export const identity = `if(user_id = '', ${hashOf('anonymous', 'anonymous_id')}, ${hashOf('user', 'user_id')})`;

/** True for rows of these sources that meet one of the conditions; undefined without any. */
function ofSource(sources: readonly string[], conditions: readonly string[]): string | undefined {
  if (conditions.length === 0) return undefined;
  const named = sources.map((source) => `'${source}'`).join(', ');
  return `(source_id IN (${named}) AND (${conditions.join(' OR ')}))`;
}

const byIdentity =
  (expression: string) =>
  ({ source, users, anonymous }: HashedPeople): string | undefined =>
    ofSource([source], among(expression, [...users, ...anonymous]));

/** SQL array of the hashes of all texts and numbers of this name in a body, which may be cut off or not be JSON. */
const idsInText = (member: string, kind: string): string =>
  `arrayMap(id -> ${hashOf(kind, 'id')}, arrayConcat(` +
  `extractAll(body, '"${member}"\\\\s*:\\\\s*"((?:[^"\\\\\\\\]|\\\\\\\\.)*)"'), ` +
  `extractAll(body, '"${member}"\\\\s*:\\\\s*(-?[0-9.]+)')))`;

const hasAny = (array: string, hashes: readonly bigint[]): string[] =>
  hashes.length === 0 ? [] : [`hasAny(${array}, [${hashes.map((hash) => `toUInt64(${hash})`).join(', ')}])`];

const inBody = ({ users, anonymous }: HashedPeople): string[] => [
  ...hasAny(idsInText('userId', 'user'), users),
  ...hasAny(idsInText('anonymousId', 'anonymous'), anonymous),
];

const hashesInBody = `arrayConcat(${idsInText('userId', 'user')}, ${idsInText('anonymousId', 'anonymous')})`;

const valueAt = (path: string): string => `ifNull(toString(body.${quotedPath(path)}), '')`;

function adRequests({ source, users, anonymous }: HashedPeople, { adRequestPaths }: TableOptions): string | undefined {
  const conditions = adRequestPaths.flatMap((path) => {
    const value = valueAt(path);
    return [...among(hashOf('user', value), users), ...among(hashOf('anonymous', value), anonymous)];
  });
  return ofSource([source], conditions);
}

/** A path of a JSON column, each member quoted. */
export const quotedPath = (path: string): string =>
  path
    .split('.')
    .map((member) => `\`${member.replace(/[`\\]/g, '\\$&')}\``)
    .join('.');

/** The tables that hold rows of people. `sellers` is searched only for sellers that are named. */
export const personTables: readonly PersonTable[] = [
  { table: 'events', condition: byIdentity('identity'), hashes: () => '[identity]' },
  { table: 'identifies', condition: byIdentity('identity'), hashes: () => '[identity]' },
  { table: 'users', condition: byIdentity(identity), hashes: () => `[${identity}]` },
  {
    table: 'push_interactions',
    condition: ({ source, users, anonymous }) => ofSource([source], hasAny('people', [...users, ...anonymous])),
    hashes: () => 'people',
  },
  { table: 'push_devices', condition: byIdentity(identity), hashes: () => `[${identity}]` },
  {
    table: 'refused_messages',
    condition: (people) =>
      ofSource([people.source], [...among(identity, [...people.users, ...people.anonymous]), ...inBody(people)]),
    hashes: () => `arrayConcat([${identity}], ${hashesInBody})`,
  },
  // The source is empty if it was unknown when the request was refused.
  {
    table: 'refused_requests',
    condition: (people) => ofSource([people.source, ''], inBody(people)),
    hashes: () => hashesInBody,
  },
  {
    table: 'ad_requests',
    condition: adRequests,
    hashes: ({ adRequestPaths }) =>
      `[${adRequestPaths.flatMap((path) => [hashOf('user', valueAt(path)), hashOf('anonymous', valueAt(path))]).join(', ')}]`,
  },
  {
    table: 'sellers',
    condition: ({ source, sellers }) => ofSource([source], among(hashOf('seller', 'seller_id'), sellers)),
    hashes: () => `[${hashOf('seller', 'seller_id')}]`,
  },
];

/** Tables without rows of people, and why. A table that is neither here nor above fails a test. */
export const tablesWithoutPeople: Readonly<Record<string, string>> = {
  products: 'goods',
  product_variants: 'goods; seller_id names a row of sellers',
  categories: 'goods',
  general_entities: 'entities of a catalog, whose fields are not those of people',
  catalog_messages: 'hashes of keys of requests',
  user_agents: 'each text once, whoever sent it',
  operator_actions: 'people who run Sluice; ids of clients are not written there',
  schema_migrations: 'names of migrations',
};

/** The condition for all of these people in a table; undefined when none of them can have rows there. */
export function conditionOf(
  { condition }: PersonTable,
  people: readonly HashedPeople[],
  options: TableOptions,
): string | undefined {
  const parts = people.flatMap((one) => {
    const rows = condition(one, options);
    if (rows === undefined) return [];
    return [one.before === undefined ? rows : `(${rows} AND received_at < fromUnixTimestamp64Milli(${one.before}))`];
  });
  return parts.length === 0 ? undefined : parts.join(' OR ');
}
