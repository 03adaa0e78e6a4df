import { Injectable } from '@nestjs/common';
import { type SourceApi, type SourceEndpoint } from '../intake/source-routes.js';
import { Intake } from '../intake/intake.js';
import { category } from './category.js';
import { type Entity, versioned } from './entity.js';
import { generalEntity } from './general-entity.js';
import { productVariant } from './product-variant.js';
import { product } from './product.js';
import { seller } from './seller.js';
import { Versions } from './versions.js';

/** Bytes of a body: docs/api.md#routes. */
const bodyLimit = 524_288;

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
      this.takes('seller', seller),
      this.takes('product', product),
      this.takes('productVariant', productVariant),
      this.takes('category', category),
      this.takes('general', generalEntity),
    ];
  }

  private takes<T extends object, Columns extends object>(name: string, entity: Entity<T, Columns>): SourceEndpoint {
    const kind = versioned(entity, this.versions);
    return { name, message: entity.type, bodyLimit, take: (request) => this.intake.take(kind, request) };
  }
}
