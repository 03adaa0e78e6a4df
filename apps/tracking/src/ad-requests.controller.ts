import { Controller } from '@nestjs/common';
import { BlockWriter } from '@sluice/clickhouse';
import { adRequestTopic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Refusal, sortByContract } from '@sluice/kafka';

/** Stores the blocks of ad requests. */
@Controller()
export class AdRequestsController {
  constructor(private readonly writer: BlockWriter) {}

  @HandlesBlocks(adRequestTopic)
  async store(block: Block): Promise<Refusal[]> {
    const sorted = sortByContract(block, adRequestTopic);
    return [...sorted.refusals, ...(await this.writer.append('ad_requests', sorted))];
  }
}
