import { Controller } from '@nestjs/common';
import { TableWriter } from '@sluice/clickhouse';
import { auditTopic, refusedTopic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Rejection, sortByContract } from '@sluice/kafka';

/** Stores refusals of gateways and actions of people. */
@Controller()
export class SystemController {
  constructor(private readonly writer: TableWriter) {}

  @HandlesBlocks(refusedTopic)
  async storeRefused(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, refusedTopic);
    return [...sorted.rejections, ...(await this.writer.append('refused_requests', sorted))];
  }

  @HandlesBlocks(auditTopic)
  async storeActions(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, auditTopic);
    return [...sorted.rejections, ...(await this.writer.append('operator_actions', sorted))];
  }
}
