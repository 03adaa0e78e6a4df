import { Controller, Query } from '@nestjs/common';
import {
  type CatalogContent,
  type CatalogImports,
  type CatalogImportsQuery,
  type CatalogIssuesQuery,
  type CatalogQuery,
  type EntityStates,
  type EntityStatesQuery,
  type ShownCatalogIssues,
  type VariantHistory,
  type VariantHistoryQuery,
} from '@sluice/console-api';
import { SourceReader } from '@sluice/sources';
import { notFound } from '../http/console-error.js';
import { ActingUser, Serves } from '../http/operation.js';
import { PerUser } from '../http/per-user.js';
import { Payloads } from '../payload/payloads.js';
import { type CurrentUser } from '../session/current-user.js';
import { CatalogReader } from './catalog-reader.js';
import { readIdColumn } from './entity-states.js';

/** Questions of one person at once: a page asks three, and each may read a whole catalog. */
const maxQuestions = 6;
const retrySeconds = 5;

/** Shows what is in catalogs, what is wrong with them, and what a variant cost: docs/tables.md#the-catalog. */
@Controller()
export class CatalogViewsController {
  private readonly queryLimit = new PerUser(
    maxQuestions,
    `You have ${maxQuestions} questions about catalogs running; wait until one has ended.`,
    retrySeconds,
  );

  constructor(
    private readonly reader: CatalogReader,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  @Serves('GET /api/catalog')
  content(@Query() { source }: CatalogQuery, @ActingUser() user: CurrentUser): Promise<CatalogContent> {
    if (source !== undefined) this.assertSource(source);
    return this.queryLimit.run(user, () => this.reader.count(user, source));
  }

  @Serves('GET /api/catalog/issues')
  issues(
    @Query() { catalog, source = catalog }: CatalogIssuesQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<ShownCatalogIssues> {
    this.assertSource(catalog);
    this.assertSource(source);
    return this.queryLimit.run(user, () => this.reader.listIssues(user, { catalog, source }));
  }

  @Serves('GET /api/catalog/history')
  history(
    @Query() { catalog, variant }: VariantHistoryQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<VariantHistory> {
    this.assertSource(catalog);
    this.payloads.assertMayFilter(user, [['variant_id', variant]]);
    return this.queryLimit.run(user, () => this.reader.readHistory(user, { catalog, variant }));
  }

  @Serves('GET /api/catalog/imports')
  imports(@Query() { catalog }: CatalogImportsQuery, @ActingUser() user: CurrentUser): Promise<CatalogImports> {
    this.assertSource(catalog);
    return this.queryLimit.run(user, () => this.reader.listImports(user, catalog));
  }

  @Serves('GET /api/catalog/states')
  states(@Query() query: EntityStatesQuery, @ActingUser() user: CurrentUser): Promise<EntityStates> {
    this.assertSource(query.catalog);
    this.payloads.assertMayFilter(user, [[readIdColumn(query.kind), query.id]]);
    return this.queryLimit.run(user, () => this.reader.readStates(user, query));
  }

  /** @throws ConsoleError 404 */
  private assertSource(id: string): void {
    if (!this.sources.registry.find(id)) throw notFound(`There is no source ${id}.`);
  }
}
