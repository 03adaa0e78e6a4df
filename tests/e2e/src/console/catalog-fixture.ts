import { type Api, type Operation, type VariantChange } from '@sluice/console-api';

const start = Date.UTC(2026, 10, 21, 6);
const at = (hour: number): string => new Date(start + hour * 3_600_000).toISOString();

const aCount = { source: 'Qq1wEe2rTt3y', sourceName: 'Warehouse', newest: at(48) };
const anIssue = { isMasked: false, names: '', since: at(12), events: 0 };

const aVariantChange = (hour: number, change: Partial<VariantChange>): VariantChange => ({
  ...{ began: at(hour), ended: at(hour + 12), product: 'lamp-1', seller: 'ada', price: '19.95', discountedPrice: null },
  ...{ stock: '12', isAvailable: true, isBuyBoxWinner: true, isDeleted: false, ...change },
});

const anImport = {
  began: at(46),
  outcome: 'done',
  file: 'variants.2026-11-30.ndjson',
  type: 'product_variant',
  isReplacement: false,
} as const;
const aStoredState = { version: at(0), arrived: at(41), isDeleted: false };

/** Answers about catalogs, with ids of a hostile client. */
export const buildCatalogAnswers = (hostile: string): { [Op in Operation]?: Api[Op]['answer'] } => ({
  'GET /api/catalog': {
    counts: [
      { ...aCount, type: 'product_variant', entities: 2_000_012 },
      { ...aCount, type: 'product', entities: 812_004 },
      { ...aCount, type: 'seller', entities: 900 },
      { ...aCount, type: 'category', entities: 3, source: 'Zz9yXx8wVv7u', sourceName: hostile },
      { ...aCount, type: 'general', entities: 1 },
    ],
    found: 512,
  },
  'GET /api/catalog/issues': {
    days: 30,
    counts: [
      { issue: 'missing_seller', entities: 41_002 },
      { issue: 'untouched', entities: 12 },
      { issue: 'leaf_with_children', entities: 1 },
    ],
    issues: [
      { ...anIssue, entity: 'product_variant', entityId: 'lamp-1-white', issue: 'missing_seller', names: 'ada' },
      { ...anIssue, entity: 'product_variant', entityId: '‹email, 19, k3fa›', isMasked: true, issue: 'price_of_zero' },
      { ...anIssue, entity: 'product', entityId: hostile, issue: 'missing_category', names: hostile, events: 4_012 },
      { ...anIssue, entity: 'category', entityId: 'lamps', issue: 'leaf_with_children' },
    ],
  },
  'GET /api/catalog/imports': {
    imports: [
      { ...anImport, began: at(47), outcome: 'intended', file: hostile },
      {
        ...{ ...anImport, outcome: 'done', isReplacement: true },
        compared: { added: 12, changed: 31_004, same: 1_968_984, deleted: 41, stored: 2_000_029 },
        sent: { records: 31_016, refused: 2, partlyStored: 1, seconds: 61 },
      },
      { ...anImport, began: at(23), outcome: 'failed', type: 'seller', file: 'sellers.csv' },
    ],
  },
  'GET /api/catalog/states': {
    states: [
      { ...aStoredState, version: at(40), isDeleted: true, fields: [] },
      {
        ...{ ...aStoredState, version: at(20) },
        fields: [
          { name: 'name', value: hostile },
          { name: 'brand', value: 'Ada' },
        ],
      },
      { ...aStoredState, fields: [{ name: 'name', value: 'Lamp' }] },
    ],
  },
  'GET /api/catalog/history': {
    changes: [
      aVariantChange(48, { ended: null, price: '21.5', discountedPrice: '18.25', product: hostile, seller: hostile }),
      aVariantChange(36, { isDeleted: true, product: '', seller: '', price: '0', stock: '0' }),
      aVariantChange(24, { isAvailable: false, stock: '0', isBuyBoxWinner: false }),
      aVariantChange(12, { discountedPrice: '17.95' }),
      aVariantChange(0, {}),
    ],
    found: 212,
  },
});
