import { Controller } from '@nestjs/common';
import { TableWriter } from '@sluice/clickhouse';
import {
  categoryTopic,
  generalEntityTopic,
  productTopic,
  productVariantTopic,
  sellerTopic,
  type Topic,
} from '@sluice/contracts';
import { type Block, HandlesBlocks, type Rejection, sortByContract } from '@sluice/kafka';

/** Stores blocks of the catalog topics. The tables keep the row with the highest version of each entity. */
@Controller()
export class CatalogController {
  constructor(private readonly writer: TableWriter) {}

  @HandlesBlocks(sellerTopic)
  storeSellers(block: Block): Promise<Rejection[]> {
    return this.store('sellers', sellerTopic, block);
  }

  @HandlesBlocks(productTopic)
  storeProducts(block: Block): Promise<Rejection[]> {
    return this.store('products', productTopic, block);
  }

  @HandlesBlocks(productVariantTopic)
  storeProductVariants(block: Block): Promise<Rejection[]> {
    return this.store('product_variants', productVariantTopic, block);
  }

  @HandlesBlocks(categoryTopic)
  storeCategories(block: Block): Promise<Rejection[]> {
    return this.store('categories', categoryTopic, block);
  }

  @HandlesBlocks(generalEntityTopic)
  storeGeneralEntities(block: Block): Promise<Rejection[]> {
    return this.store('general_entities', generalEntityTopic, block);
  }

  private async store(table: string, topic: Topic, block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, topic);
    // A replay changes nothing, because its rows keep their versions.
    return [...sorted.rejections, ...(await this.writer.insert(table, sorted))];
  }
}
