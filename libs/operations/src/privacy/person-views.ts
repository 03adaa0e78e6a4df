import { type HashedPeople, type PersonId } from './people.js';
import { identity } from './person-tables.js';

/** A query that counts the rows that a view shows of people. */
export interface ViewQuestion {
  readonly view: string;
  readonly query: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

const membershipCondition = (expression: string, hashes: readonly bigint[]): string =>
  hashes.length === 0 ? 'false' : `${expression} IN (${hashes.join(', ')})`;

type PeopleQuery = (people: HashedPeople) => string;

const countQuery = (from: string, condition: string): string => `SELECT count() AS n FROM ${from} WHERE ${condition}`;
const restrictToSource = ({ source }: HashedPeople, condition: string): string =>
  `source_id = '${source}' AND (${condition})`;
const personHashes = ({ users, anonymous }: HashedPeople): bigint[] => [...users, ...anonymous];
const arrivalCondition = ({ before }: HashedPeople): string =>
  before === undefined ? '' : ` AND received_at < fromUnixTimestamp64Milli(${before})`;

/** Queries of the views that show rows or ids of people. */
const queriesByView: Readonly<Record<string, PeopleQuery>> = {
  identity_claims: (people) =>
    countQuery(
      'identity_claims',
      restrictToSource(people, membershipCondition('identity', people.users)) + arrivalCondition(people),
    ),
  identity_links: (people) =>
    countQuery(
      'identity_links',
      restrictToSource(
        people,
        ['user_id', 'anonymous_id']
          .map((id) => membershipCondition(`sipHash64('user', ${id})`, people.users))
          .join(' OR '),
      ),
    ) + (people.before === undefined ? '' : ` AND linked_at < fromUnixTimestamp64Milli(${people.before})`),
  events_resolved: (people) =>
    countQuery(
      `events_resolved(source = '${people.source}')`,
      `(${membershipCondition(identity, personHashes(people))})${arrivalCondition(people)}`,
    ),
  event_clients: (people) =>
    countQuery(
      `event_clients(source = '${people.source}')`,
      `(${membershipCondition('identity', personHashes(people))})${arrivalCondition(people)}`,
    ),
  // No catalog has an empty identifier, so no state of a variant is read.
  events_with_offers: (people) =>
    countQuery(
      `events_with_offers(source = '${people.source}', catalog = '', from = '1970-01-01', to = '2149-06-07')`,
      `(${membershipCondition('identity', personHashes(people))})${arrivalCondition(people)}`,
    ),
  user_traits: (people) =>
    countQuery('user_traits', restrictToSource(people, membershipCondition(identity, personHashes(people)))) +
    (people.before === undefined ? '' : ` AND updated_at < fromUnixTimestamp64Milli(${people.before})`),
  current_push_interactions: (people) =>
    countQuery(
      'current_push_interactions',
      restrictToSource(
        people,
        [
          membershipCondition(`sipHash64('user', profile_id)`, people.users),
          membershipCondition(`sipHash64('user', user_id)`, people.users),
          membershipCondition(`sipHash64('anonymous', anonymous_id)`, people.anonymous),
        ].join(' OR '),
      ) + arrivalCondition(people),
    ),
  current_push_devices: (people) =>
    countQuery(
      'current_push_devices',
      restrictToSource(people, membershipCondition(identity, personHashes(people))) + arrivalCondition(people),
    ),
  current_sellers: (people) =>
    countQuery(
      'current_sellers',
      restrictToSource(people, membershipCondition(`sipHash64('seller', seller_id)`, people.sellers)) +
        arrivalCondition(people),
    ),
  product_offers: (people) =>
    countQuery(
      'product_offers',
      `has_seller AND ${restrictToSource(people, membershipCondition(`sipHash64('seller', seller_id)`, people.sellers))}`,
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
  variant_states_from_product_variants: 'fills the table variant_states',
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
  catalog_issues: 'goods',
  category_paths: 'goods',
  current_products: 'goods',
  current_product_variants: 'goods',
  variant_history: 'goods',
  current_categories: 'goods',
  current_general_entities: 'entities of a catalog',
};

export const queriedViews: readonly string[] = Object.keys(queriesByView);

/** Questions to all views that are asked for many people at once. */
export function viewQuestions(people: readonly HashedPeople[]): ViewQuestion[] {
  return people.flatMap((peopleOfSource) => {
    const views =
      peopleOfSource.users.length + peopleOfSource.anonymous.length > 0
        ? queriedViews
        : ['current_sellers', 'product_offers'];
    return views.flatMap((view) => {
      const query = queriesByView[view]?.(peopleOfSource);
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
  const rows = `${pushes}(kind != 'push' AND ${membershipCondition(identity, [...users, ...anonymous])})`;
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
      `WHERE ${membershipCondition('person', [...users, ...anonymous])}`,
    parameters: { source, from: `${day} 00:00:00`, to: `${day} 23:59:59.999` },
  };
}
