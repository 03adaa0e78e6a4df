import { type HashedPeople, type PersonId } from './people.js';
import { identity } from './person-tables.js';

/** A query that counts the rows that a view shows of people. */
export interface ViewQuestion {
  readonly view: string;
  readonly query: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

const within = (expression: string, hashes: readonly bigint[]): string =>
  hashes.length === 0 ? 'false' : `${expression} IN (${hashes.join(', ')})`;

type OfPeople = (people: HashedPeople) => string;

const counting = (from: string, condition: string): string => `SELECT count() AS n FROM ${from} WHERE ${condition}`;
const ofSource = ({ source }: HashedPeople, condition: string): string => `source_id = '${source}' AND (${condition})`;
const all = ({ users, anonymous }: HashedPeople): bigint[] => [...users, ...anonymous];
const early = ({ before }: HashedPeople): string =>
  before === undefined ? '' : ` AND received_at < fromUnixTimestamp64Milli(${before})`;

/** Views that show rows or ids of people, and how they are asked. */
const asked: Readonly<Record<string, OfPeople>> = {
  identity_links: (people) =>
    counting('identity_links', ofSource(people, within(`sipHash64('user', user_id)`, people.users))) +
    (people.before === undefined ? '' : ` AND linked_at < fromUnixTimestamp64Milli(${people.before})`),
  events_resolved: (people) =>
    counting(`events_resolved(source = '${people.source}')`, `(${within(identity, all(people))})${early(people)}`),
  event_clients: (people) =>
    counting(`event_clients(source = '${people.source}')`, `(${within('identity', all(people))})${early(people)}`),
  user_traits: (people) =>
    counting('user_traits', ofSource(people, within(identity, all(people)))) +
    (people.before === undefined ? '' : ` AND updated_at < fromUnixTimestamp64Milli(${people.before})`),
  current_push_interactions: (people) =>
    counting(
      'current_push_interactions',
      ofSource(
        people,
        [
          within(`sipHash64('user', profile_id)`, people.users),
          within(`sipHash64('user', user_id)`, people.users),
          within(`sipHash64('anonymous', anonymous_id)`, people.anonymous),
        ].join(' OR '),
      ) + early(people),
    ),
  current_push_devices: (people) =>
    counting('current_push_devices', ofSource(people, within(identity, all(people))) + early(people)),
  current_sellers: (people) =>
    counting(
      'current_sellers',
      ofSource(people, within(`sipHash64('seller', seller_id)`, people.sellers)) + early(people),
    ),
  product_offers: (people) =>
    counting(
      'product_offers',
      `has_seller AND ${ofSource(people, within(`sipHash64('seller', seller_id)`, people.sellers))}`,
    ),
};

/** Views that are asked for one person, or for a time, and those that show no person, with the reason. */
export const otherViews: Readonly<Record<string, string>> = {
  user_timeline: 'asked for ids of a batch, one at a time',
  sessions: 'asked for days of a batch, one at a time',
  users_from_identifies: 'fills the table users',
  catalog_messages_from_sellers: 'fills the table catalog_messages',
  catalog_messages_from_products: 'fills the table catalog_messages',
  catalog_messages_from_product_variants: 'fills the table catalog_messages',
  catalog_messages_from_categories: 'fills the table catalog_messages',
  catalog_messages_from_general_entities: 'fills the table catalog_messages',
  event_counts: 'numbers',
  retention: 'numbers',
  push_campaign_stats: 'numbers',
  product_performance: 'numbers',
  plan_violations: 'numbers',
  plan_coverage: 'numbers',
  freshness: 'times by source',
  sdk_streams: 'numbers of messages by device, made of rows of events and identifies',
  bots: 'texts of programs',
  availability: 'goods',
  category_paths: 'goods',
  current_products: 'goods',
  current_product_variants: 'goods',
  current_categories: 'goods',
  current_general_entities: 'entities of a catalog',
};

export const askedViews: readonly string[] = Object.keys(asked);

/** Questions to all views that are asked for many people at once. */
export function viewQuestions(people: readonly HashedPeople[]): ViewQuestion[] {
  return people.flatMap((one) => {
    const views = one.users.length + one.anonymous.length > 0 ? askedViews : ['current_sellers', 'product_offers'];
    return views.flatMap((view) => {
      const query = asked[view]?.(one);
      return query === undefined ? [] : [{ view, query }];
    });
  });
}

/**
 * The question to user_timeline about one id. If an anonymous id is now someone else's, the view shows their rows.
 * So a row counts if it came under an id of the person, and a push if the id asked about is a user's.
 */
export function timelineQuestion({ source, kind, id }: PersonId, { users, anonymous }: HashedPeople): ViewQuestion {
  const pushes = kind === 'user' ? `kind = 'push' OR ` : '';
  const rows = `${pushes}(kind != 'push' AND ${within(identity, [...users, ...anonymous])})`;
  return {
    view: 'user_timeline',
    query: `SELECT count() AS n FROM user_timeline(source = {source:String}, person = {person:String}) WHERE ${rows}`,
    parameters: { source, person: id },
  };
}

/** The question to sessions about the people of a source on a day. */
export function sessionsQuestion(people: HashedPeople, day: string): ViewQuestion {
  const { source, users, anonymous } = people;
  return {
    view: 'sessions',
    query:
      `SELECT count() AS n FROM sessions(source = {source:String}, from = {from:String}, to = {to:String}) ` +
      `WHERE ${within('person', [...users, ...anonymous])}`,
    parameters: { source, from: `${day} 00:00:00`, to: `${day} 23:59:59.999` },
  };
}
