import { Controller, Post } from '@nestjs/common';
import { Category, GeneralEntity, Product, ProductVariant, Seller } from '@sluice/contracts';
import { Accepts } from '../http/accepts.js';
import { Intake, type Queued } from '../intake/intake.js';
import { FromSource, type SourceRequest } from '../intake/source-request.js';
import { category } from './category.js';
import { type Entity, versioned } from './entity.js';
import { generalEntity } from './general-entity.js';
import { productVariant } from './product-variant.js';
import { product } from './product.js';
import { seller } from './seller.js';
import { Versions } from './versions.js';

/** Bytes of a request; the interface sets none, design §2 does. */
const limit = 524_288;

/** The Sync API: interface §4.2. */
// The second path is the one with the source left out: its credentials are refused like any unknown source's.
@Controller(['api/tracker/catalog/:sourceIdentifier', 'api/tracker/catalog'])
export class CatalogController {
  constructor(
    private readonly intake: Intake,
    private readonly versions: Versions,
  ) {}

  @Post('seller')
  @Accepts(Seller, limit)
  seller(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.take(seller, request);
  }

  @Post('product')
  @Accepts(Product, limit)
  product(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.take(product, request);
  }

  @Post('productVariant')
  @Accepts(ProductVariant, limit)
  productVariant(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.take(productVariant, request);
  }

  @Post('category')
  @Accepts(Category, limit)
  category(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.take(category, request);
  }

  @Post('general')
  @Accepts(GeneralEntity, limit)
  general(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.take(generalEntity, request);
  }

  private take<T extends object, C extends object>(entity: Entity<T, C>, request: SourceRequest): Promise<Queued> {
    return this.intake.take(versioned(entity, this.versions), request);
  }
}
