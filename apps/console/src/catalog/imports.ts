import { toIso } from '@sluice/clickhouse';
import { isObject } from '@sluice/contracts';
import { type CatalogImport, type EntityKind } from '@sluice/console-api';

const maxImports = 20;

/** An intent and its outcome are one import, as in the list of actions. */
export const importsQuery = `SELECT toString(min(a.received_at)) AS began, any(a.operation) AS operation,
    argMax(a.outcome, a.outcome != 'intended') AS outcome, argMax(a.details, a.outcome != 'intended') AS details
  FROM operator_actions AS a
  WHERE a.operation IN ('catalog.import', 'catalog.replace') AND a.object = {catalog:String}
  GROUP BY a.action_id ORDER BY began DESC LIMIT ${maxImports}`;

export interface ImportRow {
  readonly began: string;
  readonly operation: string;
  readonly outcome: CatalogImport['outcome'];
  /** JSON, as `apps/operator/src/catalog/import-records.ts` writes it. */
  readonly details: string;
}

/** Types of the Sync API by the names that operator writes. */
const kinds: Readonly<Record<string, EntityKind>> = {
  seller: 'seller',
  product: 'product',
  productVariant: 'product_variant',
  category: 'category',
  general: 'general',
};

/** Reads an import from its action. What a later operator writes and this console does not know is left out. */
export function readImport({ began, operation, outcome, details }: ImportRow): CatalogImport {
  const { type, file, compared, ...counts } = parseObject(details);
  const sent = {
    records: Number(counts['records']),
    refused: Number(counts['refused']),
    partlyStored: Number(counts['partlyStored']),
    seconds: Number(counts['seconds']),
  };
  return {
    ...{ began: toIso(began), outcome },
    file: typeof file === 'string' ? file : '',
    type: kinds[String(type)] ?? 'general',
    isReplacement: operation === 'catalog.replace',
    ...(isObject(compared) && { compared: readCompared(compared) }),
    ...(Object.values(sent).every(Number.isFinite) && { sent }),
  };
}

const readCompared = (compared: Record<string, unknown>): NonNullable<CatalogImport['compared']> => ({
  added: Number(compared['added'] ?? 0),
  changed: Number(compared['changed'] ?? 0),
  same: Number(compared['same'] ?? 0),
  deleted: Number(compared['deleted'] ?? 0),
  stored: Number(compared['stored'] ?? 0),
});

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
