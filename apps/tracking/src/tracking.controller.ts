import { Controller } from '@nestjs/common';
import { BlockWriter } from '@sluice/clickhouse';
import { identifyTopic, type Topic, trackTopic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Refusal, sortByContract } from '@sluice/kafka';

/** Stores the blocks of the tracking topics. */
@Controller()
export class TrackingController {
  constructor(private readonly writer: BlockWriter) {}

  @HandlesBlocks(trackTopic)
  storeEvents(block: Block): Promise<Refusal[]> {
    return this.store('events', trackTopic, block);
  }

  /** The view `users_from_identifies` fills `users` from the same insert. */
  @HandlesBlocks(identifyTopic)
  storeIdentifies(block: Block): Promise<Refusal[]> {
    return this.store('identifies', identifyTopic, block);
  }

  private async store(table: string, topic: Topic, block: Block): Promise<Refusal[]> {
    const sorted = sortByContract(block, topic);
    await this.writer.append(table, sorted);
    return sorted.refusals;
  }
}
