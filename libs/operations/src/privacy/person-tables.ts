import { quoteText } from '@sluice/clickhouse';
import { groupEvent, idPatterns } from '@sluice/privacy';
import { type HashedPeople, type HashesOfSource, haveSameHashes, listPairs } from './people.js';

/** A table with rows of people, and the conditions that select them. */
export interface PersonTable {
  readonly table: string;
  /** SQL condition for the rows of these people; undefined when none of the people can have rows there. */
  readonly condition: (people: PeopleOfSources, options: TableOptions) => string | undefined;
  /** SQL array of the hashes of a row's ids, which show whose row it is. */
  readonly hashes: (options: TableOptions) => string;
  /** Columns that the condition reads, except ids and times: a projection without them is not asked. */
  readonly reads?: readonly string[];
  /** True for rows of others who name the person: they are erased, and not part of an export. */
  readonly isOfOthers?: boolean;
}

/** People of one source or of several, whose ids may differ. */
type PeopleOfSources = Pick<HashedPeople, 'users' | 'anonymous' | 'sellers'> & {
  readonly sources: readonly string[];
  /** The same hashes by source. */
  readonly ids: readonly HashesOfSource[];
};

export interface TableOptions {
  /** Paths within the body of an ad request at which an id of a person stands. */
  readonly adRequestPaths: readonly string[];
}

const joinHashes = (hashes: readonly bigint[]): string => hashes.join(', ');
const membershipConditions = (expression: string, hashes: readonly bigint[]): string[] =>
  hashes.length === 0 ? [] : [`${expression} IN (${joinHashes(hashes)})`];
/** SQL hash of an id of a row. A row without the id gets the hash of the empty text, which matches nobody. */
const hashExpression = (kind: string, id: string): string => `sipHash64('${kind}', ${id})`;

/** The hash of the id that a row came under, as the column `identity` of events has it. */
export const identity = `if(user_id = '', ${hashExpression('anonymous', 'anonymous_id')}, ${hashExpression('user', 'user_id')})`;

/** True for rows of these sources that meet one of the conditions; undefined without any. */
function restrictToSources(sources: readonly string[], conditions: readonly string[]): string | undefined {
  if (conditions.length === 0) return undefined;
  const sourceList = sources.map((source) => `'${source}'`).join(', ');
  return `(source_id IN (${sourceList}) AND (${conditions.join(' OR ')}))`;
}

const byIdentity =
  (expression: string) =>
  ({ sources, users, anonymous }: PeopleOfSources): string | undefined =>
    restrictToSources(sources, membershipConditions(expression, [...users, ...anonymous]));

/**
 * SQL array of all ids in a body, which may be cut off or not be JSON, in any spelling of JSON. A number counts as it
 * stands and as the text that a gateway makes of it: 42.0 is 42.
 */
function idsInBody(): string {
  const { quoted, number } = idPatterns;
  const [quotedIds, numbers] = [quoted, number].map((pattern) => `extractAll(body, ${quoteText(pattern)})`);
  return (
    'arrayConcat(' +
    `arrayMap(id -> if(isValidJSON(id), JSONExtractString(concat('[', id, ']'), 1), substring(id, 2, length(id) - 2)), ${quotedIds}), ` +
    `${numbers}, arrayMap(id -> replaceRegexpOne(toString(toFloat64OrZero(id)), 'e([0-9])', 'e+\\\\1'), ${numbers}))`
  );
}

const hasAny = (array: string, hashes: readonly bigint[]): string[] =>
  hashes.length === 0 ? [] : [`hasAny(${array}, [${hashes.map((hash) => `toUInt64(${hash})`).join(', ')}])`];

const hashesInBody = `arrayFlatten(arrayMap(id -> [${hashExpression('user', 'id')}, ${hashExpression('anonymous', 'id')}], ${idsInBody()}))`;

const bodyConditions = ({ users, anonymous }: PeopleOfSources): string[] =>
  hasAny(hashesInBody, [...users, ...anonymous]);

/** The hash of the former id that an alias names: the anonymous id of its row, which may be that of a user. */
const formerUserHash = hashExpression('user', 'anonymous_id');

/** The hash of the user id that an event names as its group. */
const groupOwnerHash = hashExpression('user', `ifNull(toString(properties.groupId), '')`);

const bodyValue = (path: string): string => `ifNull(toString(body.${quotePath(path)}), '')`;

function adRequestCondition(
  { sources, users, anonymous }: PeopleOfSources,
  { adRequestPaths }: TableOptions,
): string | undefined {
  const conditions = adRequestPaths.flatMap((path) => {
    const value = bodyValue(path);
    return [
      ...membershipConditions(hashExpression('user', value), users),
      ...membershipConditions(hashExpression('anonymous', value), anonymous),
    ];
  });
  return restrictToSources(sources, conditions);
}

/** A path of a JSON column, each member quoted. */
export const quotePath = (path: string): string =>
  path
    .split('.')
    .map((member) => `\`${member.replace(/[`\\]/g, '\\$&')}\``)
    .join('.');

/** The tables that hold rows of people. `sellers` is searched only for sellers that are named. */
export const personTables: readonly PersonTable[] = [
  { table: 'events', condition: byIdentity('identity'), hashes: () => '[identity]' },
  {
    table: 'events',
    condition: ({ sources, users, ids }) =>
      restrictToSources(
        sources,
        membershipConditions(groupOwnerHash, users).map(
          (isNamed) => `event = '${groupEvent}' AND ${isNamed} AND NOT (source_id, identity) IN (${listPairs(ids)})`,
        ),
      ),
    hashes: () => `[${groupOwnerHash}]`,
    reads: ['event', 'properties'],
    isOfOthers: true,
  },
  {
    table: 'identifies',
    condition: ({ sources, users, anonymous }) =>
      restrictToSources(sources, [
        ...membershipConditions('identity', [...users, ...anonymous]),
        ...membershipConditions(formerUserHash, users),
      ]),
    hashes: () => `[identity, ${formerUserHash}]`,
  },
  { table: 'users', condition: byIdentity(identity), hashes: () => `[${identity}]` },
  // Rows of anonymous ids stay: without them, links between other people would come back.
  {
    table: 'forgotten_links',
    condition: ({ sources, users }) => restrictToSources(sources, membershipConditions('identity', users)),
    hashes: () => '[identity]',
  },
  {
    table: 'push_interactions',
    condition: ({ sources, users, anonymous }) =>
      restrictToSources(sources, hasAny('people', [...users, ...anonymous])),
    hashes: () => 'people',
  },
  { table: 'push_devices', condition: byIdentity(identity), hashes: () => `[${identity}]` },
  {
    table: 'refused_messages',
    condition: (people) =>
      restrictToSources(people.sources, [
        ...membershipConditions(identity, [...people.users, ...people.anonymous]),
        ...bodyConditions(people),
      ]),
    hashes: () => `arrayConcat([${identity}], ${hashesInBody})`,
  },
  // The source is empty if it was unknown when the request was refused.
  {
    table: 'refused_requests',
    condition: (people) => restrictToSources([...people.sources, ''], bodyConditions(people)),
    hashes: () => hashesInBody,
  },
  {
    table: 'ad_requests',
    condition: adRequestCondition,
    hashes: ({ adRequestPaths }) =>
      `[${adRequestPaths.flatMap((path) => [hashExpression('user', bodyValue(path)), hashExpression('anonymous', bodyValue(path))]).join(', ')}]`,
  },
  {
    table: 'sellers',
    condition: ({ sources, sellers }) =>
      restrictToSources(sources, membershipConditions(hashExpression('seller', 'seller_id'), sellers)),
    hashes: () => `[${hashExpression('seller', 'seller_id')}]`,
  },
];

/** Tables without rows of people, and why. A table that is neither here nor above fails a test. */
export const tablesWithoutPeople: Readonly<Record<string, string>> = {
  products: 'goods',
  product_variants: 'goods; seller_id names a row of sellers',
  variant_states: 'goods; seller_id names a row of sellers',
  categories: 'goods',
  general_entities: 'entities of a catalog, whose fields are not those of people',
  catalog_messages: 'hashes of keys of requests',
  user_agents: 'each text once, whoever sent it',
  operator_actions: 'people who run Sluice; ids of clients are not written there',
  event_hours: 'counts of events',
  source_hours: 'counts of a source',
  property_hours: 'counts of properties, without their values',
  event_changes: 'counts, names of events and versions of apps',
  event_mutes: 'people who run Sluice',
  watch_runs: 'names of processes',
  canary_probes: 'calls of gateways to themselves',
  canary_series: 'counts of probes',
  canary_faults: 'numbers of probes',
  schema_migrations: 'names of migrations',
};

/**
 * The condition for all of these people in a table; undefined when none of them can have rows there. It names each source
 * and each id once, so that it stays quick for thousands of sources.
 */
export function buildCondition(
  table: PersonTable,
  people: readonly HashedPeople[],
  options: TableOptions,
): string | undefined {
  const parts = [...Map.groupBy(people, ({ before }) => before)].flatMap(([before, group]) => {
    const rows = buildSourcesCondition(table, group, options);
    if (rows === undefined) return [];
    return [before === undefined ? rows : `(${rows} AND received_at < fromUnixTimestamp64Milli(${before}))`];
  });
  return parts.length === 0 ? undefined : parts.join(' OR ');
}

function buildSourcesCondition(
  { condition, hashes }: PersonTable,
  people: readonly HashedPeople[],
  options: TableOptions,
): string | undefined {
  const collectHashes = (kind: 'users' | 'anonymous' | 'sellers'): bigint[] => [
    ...new Set(people.flatMap((peopleOfSource) => peopleOfSource[kind])),
  ];
  const sources = [...new Set(people.map(({ source }) => source))];
  const ids = people.map(({ source, users, anonymous, sellers }) => ({
    source,
    hashes: [...users, ...anonymous, ...sellers],
  }));
  const rows = condition(
    {
      sources,
      ids,
      users: collectHashes('users'),
      anonymous: collectHashes('anonymous'),
      sellers: collectHashes('sellers'),
    },
    options,
  );
  if (rows === undefined || haveSameHashes(ids)) return rows;
  // An id of a person in one source may be someone else's in another. Rows without a source count for all sources.
  const isOfSource = `arrayExists(hash -> (source_id, hash) IN (${listPairs(ids)}), ${hashes(options)})`;
  return `(${rows} AND (source_id = '' OR ${isOfSource}))`;
}
