import { hash } from 'node:crypto';
import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { OperationError, withClickHouse } from '@sluice/operations';
import { type EntityType } from './entity-type.js';
import { StateTexts } from './state-text.js';

/** An entity as it is stored. */
export interface StoredState {
  readonly fingerprint: string;
  readonly updatedAt: number | undefined;
  /** Whether the file has the entity. */
  isInFile: boolean;
}

/** View of each type of entity, and the column of its id. */
const views: Readonly<Record<EntityType, { view: string; id: string }>> = {
  seller: { view: 'current_sellers', id: 'seller_id' },
  product: { view: 'current_products', id: 'product_id' },
  productVariant: { view: 'current_product_variants', id: 'variant_id' },
  category: { view: 'current_categories', id: 'category_id' },
  general: { view: 'current_general_entities', id: 'id' },
};

/** Upper bound of the entities of a type and source that are compared: each can take half a kilobyte of memory. */
const maxEntities = 5_000_000;
const timeLimitSeconds = 1_800;

/** A short text that differs for states that differ. */
export const makeFingerprint = (text: string): string => hash('sha256', text, 'base64').slice(0, 22);

/** Reads the entities of a type and source, by their ids. @throws ServerUnreachableError; OperationError if too many */
export async function readCurrentStates(
  config: ClickHouseConfig,
  source: string,
  type: EntityType,
): Promise<Map<string, StoredState>> {
  const client = createClickHouse(config, config.CLICKHOUSE_DATABASE, {}, timeLimitSeconds * 1_000);
  const states = new Map<string, StoredState>();
  const texts = new StateTexts(type);
  const { view, id } = views[type];
  const read = async (): Promise<void> => {
    const answer = await client.query({
      query: `SELECT ${[id, ...texts.columns].join(', ')} FROM ${view} WHERE source_id = {source:String} LIMIT ${maxEntities + 1}`,
      query_params: { source },
      format: 'JSONEachRow',
      clickhouse_settings: {
        max_execution_time: timeLimitSeconds,
        date_time_output_format: 'iso',
        output_format_json_quote_decimals: 1,
        output_format_decimal_trailing_zeros: 0,
      },
    });
    for await (const rows of answer.stream<Record<string, unknown>>()) {
      for (const row of rows) {
        const state = row.json();
        const { text, updatedAt } = texts.readRow(state);
        states.set(String(state[id]), { fingerprint: makeFingerprint(text), updatedAt, isInFile: false });
      }
    }
  };
  try {
    await withClickHouse(config, read());
  } finally {
    await client.close();
  }
  if (states.size > maxEntities)
    throw new OperationError(
      `${source} has more than ${maxEntities} entities of type ${type}, which cannot be compared`,
    );
  return states;
}
