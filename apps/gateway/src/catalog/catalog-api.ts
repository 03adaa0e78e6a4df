import { Injectable } from '@nestjs/common';
import { type SourceApi, type SourceEndpoint } from '../intake/source-routes.js';
import { Intake } from '../intake/intake.js';
import { category } from './category.js';
import { type EntityDefinition, makeDeletionKind, makeIntakeKind } from './entity.js';
import { generalEntity } from './general-entity.js';
import { productVariant } from './product-variant.js';
import { product } from './product.js';
import { seller } from './seller.js';
import { Versions } from './state-versions.js';
import { largestBody } from '../limits/limits.js';

/** Bytes of a single entity: docs/api.md#routes. */
const single = 524_288;

/** The Sync API: docs/api.md#catalog-messages. */
@Injectable()
export class CatalogApi implements SourceApi {
  readonly path = '/api/tracker/catalog';
  readonly serversOnly = true;
  readonly endpoints: SourceApi['endpoints'];

  constructor(
    private readonly intake: Intake,
    private readonly versions: Versions,
  ) {
    this.endpoints = [
      ...this.makeEndpoints(['seller', 'sellerBatch', 'sellerDelete'], seller),
      ...this.makeEndpoints(['product', 'productBatch', 'productDelete'], product),
      ...this.makeEndpoints(['productVariant', 'productVariantBatch', 'productVariantDelete'], productVariant),
      ...this.makeEndpoints(['category', 'categoryBatch', 'categoryDelete'], category),
      ...this.makeEndpoints(['general', 'generalBatch', 'generalDelete'], generalEntity),
    ];
  }

  /** Makes the endpoints that take one entity, many of them, and deletions of many. */
  private makeEndpoints<T extends object, Columns extends object, D extends object>(
    [singleName, batchName, deleteName]: readonly [string, string, string],
    entity: EntityDefinition<T, Columns, D>,
  ): SourceEndpoint[] {
    const { intake, versions } = this;
    const kind = makeIntakeKind(entity, versions);
    const deletion = makeDeletionKind(entity, versions);
    const batch = { batch: true, bodyLimit: largestBody };
    return [
      { name: singleName, message: kind.type, bodyLimit: single, take: (request) => intake.take(kind, request) },
      { name: batchName, message: kind.type, ...batch, take: (request) => intake.takeBatch(kind, request) },
      { name: deleteName, message: deletion.type, ...batch, take: (request) => intake.takeBatch(deletion, request) },
    ];
  }
}
