import { Controller } from '@nestjs/common';
import { TableWriter } from '@sluice/clickhouse';
import { adRequestTopic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Rejection, sortByContract } from '@sluice/kafka';

/** Stores blocks of ad requests. */
@Controller()
export class AdRequestsController {
  constructor(private readonly writer: TableWriter) {}

  @HandlesBlocks(adRequestTopic)
  async store(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, adRequestTopic);
    return [...sorted.rejections, ...(await this.writer.append('ad_requests', sorted))];
  }
}
