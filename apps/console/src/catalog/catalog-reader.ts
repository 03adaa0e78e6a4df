import { Injectable } from '@nestjs/common';
import { toIso } from '@sluice/clickhouse';
import {
  type CatalogContent,
  type CatalogImports,
  type CatalogIssuesQuery,
  type EntityStates,
  type EntityStatesQuery,
  type EntityCount,
  type EntityKind,
  type ShownCatalogIssue,
  type ShownCatalogIssues,
  type VariantChange,
  type VariantHistory,
  type VariantHistoryQuery,
} from '@sluice/console-api';
import { type EntityIssue, readCatalogIssues } from '@sluice/operations';
import { type SourceReader } from '@sluice/sources';
import { notFound } from '../http/console-error.js';
import { type Payloads } from '../payload/payloads.js';
import { type Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { makeStatesQuery, showState, type EntityStateRow } from './entity-states.js';
import { type ImportRow, importsQuery, readImport } from './imports.js';

const maxCounts = 500;
const maxIssues = 100;
const maxChanges = 200;
/** Days after which an entity that no message stated is an issue. */
const untouchedDays = 30;

const views: Record<EntityKind, string> = {
  seller: 'current_sellers',
  product: 'current_products',
  product_variant: 'current_product_variants',
  category: 'current_categories',
  general: 'current_general_entities',
};

const countsQuery = `SELECT source, type, toString(entities) AS entities, toString(newest) AS newest,
    toString(count() OVER ()) AS found
  FROM (${Object.entries(views)
    .map(
      ([type, view]) => `SELECT toString(source_id) AS source, '${type}' AS type, count() AS entities,
      max(received_at) AS newest
    FROM ${view} WHERE {source:String} = '' OR source_id = {source:String} GROUP BY source`,
    )
    .join('\n  UNION ALL ')})
  ORDER BY newest DESC, source, type LIMIT ${maxCounts}`;

const historyQuery = `SELECT toString(began_at) AS began, toString(ended_at) AS ended, product_id AS product,
    seller_id AS seller, toString(price) AS listPrice, toString(discounted_price) AS discountedPrice,
    toString(stock) AS amount, is_available AS isAvailable, is_buy_box_winner AS isBuyBoxWinner,
    is_deleted AS isDeleted, toString(count() OVER ()) AS found
  FROM variant_history WHERE source_id = {catalog:String} AND variant_id = {variant:String}
  ORDER BY began_at DESC LIMIT ${maxChanges}`;

type CountRow = Record<'source' | 'entities' | 'newest' | 'found', string> & { type: EntityKind };
type ChangeRow = Omit<VariantChange, 'price' | 'stock'> & { listPrice: string; amount: string; found: string };

/** Columns of the ids that issues name; all others name categories. */
const namedColumns: Record<string, string> = { missing_product: 'product_id', missing_seller: 'seller_id' };

/** Reads catalogs. Ids and texts that clients sent are masked for everybody, as in lists. */
@Injectable()
export class CatalogReader {
  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  /** Counts the entities of one source, or of all. */
  async count(user: CurrentUser, source = ''): Promise<CatalogContent> {
    const rows = await this.tables.select<CountRow>(user, countsQuery, { source });
    const counts = rows.map(({ source: id, type, entities, newest }): EntityCount => ({
      ...{ source: id, sourceName: this.sources.registry.nameOf(id), type },
      ...{ entities: Number(entities), newest: toIso(newest) },
    }));
    return { counts, found: Number(rows[0]?.found ?? 0) };
  }

  async listIssues(user: CurrentUser, { catalog, source }: Required<CatalogIssuesQuery>): Promise<ShownCatalogIssues> {
    const question = { catalog, source, days: untouchedDays, limit: maxIssues };
    const { counts, issues } = await readCatalogIssues(this.tables.selectFor(user), question);
    return { days: untouchedDays, counts, issues: issues.map((issue) => this.showIssue(issue, catalog)) };
  }

  /** @throws ConsoleError 404 when the catalog never had the variant. */
  async readHistory(user: CurrentUser, { catalog, variant }: VariantHistoryQuery): Promise<VariantHistory> {
    const rows = await this.tables.select<ChangeRow>(user, historyQuery, { catalog, variant });
    if (rows.length === 0) throw notFound('This source never sent a variant with this id.');
    return { changes: rows.map((row) => this.showChange(row, catalog)), found: Number(rows[0]?.found) };
  }

  /** The newest imports of a catalog, from the actions of people at terminals. */
  async listImports(user: CurrentUser, catalog: string): Promise<CatalogImports> {
    const rows = await this.tables.select<ImportRow>(user, importsQuery, { catalog });
    return { imports: rows.map(readImport) };
  }

  /** @throws ConsoleError 404 when the catalog never had the entity. */
  async readStates(user: CurrentUser, { catalog, kind, id }: EntityStatesQuery): Promise<EntityStates> {
    const rows = await this.tables.select<EntityStateRow>(user, makeStatesQuery(kind), { catalog, id });
    if (rows.length === 0) throw notFound(`This source never sent a ${kind} with this id.`);
    const states = rows.map((row) => showState(row, kind, this.maskFor(catalog, toIso(row.arrived))));
    return { states };
  }

  private showIssue(
    { entity, entityId: id, issue, names, since, events }: EntityIssue,
    source: string,
  ): ShownCatalogIssue {
    const mask = this.maskFor(source, since);
    const entityId = mask(`${entity === 'product_variant' ? 'variant' : entity}_id`, id);
    const shownNames = mask(namedColumns[issue] ?? 'category_id', names);
    return { entity, entityId, isMasked: entityId !== id, issue, names: shownNames, since, events };
  }

  private showChange(row: ChangeRow, source: string): VariantChange {
    const began = toIso(row.began);
    const mask = this.maskFor(source, began);
    return {
      ...{ began, ended: row.ended === null ? null : toIso(row.ended) },
      ...{ product: mask('product_id', row.product), seller: mask('seller_id', row.seller) },
      price: mask('price', row.listPrice),
      discountedPrice: row.discountedPrice === null ? null : mask('discounted_price', row.discountedPrice),
      stock: mask('stock', row.amount),
      ...{ isAvailable: row.isAvailable, isBuyBoxWinner: row.isBuyBoxWinner, isDeleted: row.isDeleted },
    };
  }

  private maskFor(source: string, at: string): (name: string, text: string) => string {
    return (name, text) => this.payloads.masked.value(name, text, { source, at });
  }
}
