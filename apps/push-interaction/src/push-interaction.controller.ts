import { Controller } from '@nestjs/common';
import { TableWriter } from '@sluice/clickhouse';
import { deviceTopic, interactionTopic, type Topic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Rejection, sortByContract } from '@sluice/kafka';

/** Stores blocks of the push topics. Both tables merge repeated rows, so storing a block twice changes nothing. */
@Controller()
export class PushInteractionController {
  constructor(private readonly writer: TableWriter) {}

  @HandlesBlocks(interactionTopic)
  storeInteractions(block: Block): Promise<Rejection[]> {
    return this.store('push_interactions', interactionTopic, block);
  }

  @HandlesBlocks(deviceTopic)
  storeDevices(block: Block): Promise<Rejection[]> {
    return this.store('push_devices', deviceTopic, block);
  }

  private async store(table: string, topic: Topic, block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, topic);
    return [...sorted.rejections, ...(await this.writer.insert(table, sorted))];
  }
}
