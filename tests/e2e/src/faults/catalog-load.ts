import { catalogCases } from '@sluice/testing';
import { type EventsLedger } from './events-ledger.js';
import { type LoadCall } from './http-generator.js';

/** View of each type of entity, with the names of its id and of a text in the message and in the view. */
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

/** Entities of each type, sent in turn. Messages of one entity are far apart, so it is clear which came last. */
const entitiesOfEach = 100;

/** Each call changes the next entity of the catalog. The id of the call has the entity and its value: `seller e5=7`. */
export function catalogLoadCalls(): () => LoadCall {
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

/** Last acknowledged value of each entity. */
export function lastSaid(acknowledged: ReadonlySet<string>): Record<string, number> {
  const last: Record<string, number> = {};
  for (const id of acknowledged) {
    const [entity = '', round] = id.split('=');
    last[entity] = Math.max(last[entity] ?? 0, Number(round));
  }
  return last;
}

/** Value of each entity in its view; NaN for an entity that appears twice. */
export async function saidByViews(ledger: EventsLedger): Promise<Record<string, number>> {
  const queries = Object.entries(places).map(
    ([endpoint, { view, id, text }]) =>
      `SELECT concat('${endpoint} ', ${id[1]}) AS entity, toString(${text[1]}) AS round FROM ${view}`,
  );
  const rows = await ledger.select<{ entity: string; round: string }>(queries.join(' UNION ALL '));
  const roundByEntity: Record<string, number> = {};
  for (const { entity, round } of rows) roundByEntity[entity] = entity in roundByEntity ? NaN : Number(round);
  return roundByEntity;
}
