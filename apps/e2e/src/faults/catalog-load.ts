import { catalogCases } from '@sluice/testing';
import { type EventsLedger } from './events-ledger.js';
import { type Call } from './http-generator.js';

/** Where the id and a text of each type of entity stand: in its message, and in its view. */
const places = {
  seller: { view: 'current_sellers', id: ['sellerId', 'seller_id'], text: ['firstName', 'first_name'] },
  product: { view: 'current_products', id: ['productId', 'product_id'], text: ['name', 'name'] },
  productVariant: {
    view: 'current_product_variants',
    id: ['variantId', 'variant_id'],
    text: ['sellerId', 'seller_id'],
  },
  category: { view: 'current_categories', id: ['categoryId', 'category_id'], text: ['name', 'name'] },
  general: { view: 'current_general_entities', id: ['id', 'id'], text: ['type', 'type'] },
} as const;

/** So many of each type are sent in turn: two messages of one are far apart, so that there is no doubt which came last. */
const entitiesOfEach = 100;

/** Each call says something new of the next entity of the catalog. Its id is the entity and what was said, `e=7`. */
export function catalogCalls(): () => Call {
  let n = 0;
  return () => {
    const { endpoint, message } = catalogCases[n % catalogCases.length] ?? { endpoint: 'general' as const };
    const turn = Math.floor(n++ / catalogCases.length);
    const [entity, round] = [`e${turn % entitiesOfEach}`, String(Math.floor(turn / entitiesOfEach))];
    const { id, text } = places[endpoint];
    const body = { ...message, [id[0]]: entity, [text[0]]: round };
    return { method: 'POST', path: `catalog/*/${endpoint}`, body, ids: [`${endpoint} ${entity}=${round}`] };
  };
}

/** What was said last of each entity. */
export function lastSaid(acknowledged: ReadonlySet<string>): Record<string, number> {
  const last: Record<string, number> = {};
  for (const id of acknowledged) {
    const [entity = '', round] = id.split('=');
    last[entity] = Math.max(last[entity] ?? 0, Number(round));
  }
  return last;
}

/** What the views say of each entity; an entity that is in one twice is `NaN`. */
export async function saidByViews(ledger: EventsLedger): Promise<Record<string, number>> {
  const queries = Object.entries(places).map(
    ([endpoint, { view, id, text }]) =>
      `SELECT concat('${endpoint} ', ${id[1]}) AS entity, toString(${text[1]}) AS round FROM ${view}`,
  );
  const rows = await ledger.select<{ entity: string; round: string }>(queries.join(' UNION ALL '));
  const said: Record<string, number> = {};
  for (const { entity, round } of rows) said[entity] = entity in said ? NaN : Number(round);
  return said;
}
