import { Controller } from '@nestjs/common';
import { TableWriter } from '@sluice/clickhouse';
import { identifyTopic, refusedMessageTopic, trackTopic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Rejection, sortByContract } from '@sluice/kafka';

const usersView = { name: 'users_from_identifies', target: 'users' };

/** Stores blocks of the tracking topics. */
@Controller()
export class TrackingController {
  constructor(private readonly writer: TableWriter) {}

  @HandlesBlocks(trackTopic)
  async storeEvents(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, trackTopic);
    return [...sorted.rejections, ...(await this.writer.append('events', sorted))];
  }

  /** A view fills `users` from the same INSERT. If ClickHouse crashed in between, the replay fills the missing rows. */
  @HandlesBlocks(identifyTopic)
  async storeIdentifies(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, identifyTopic);
    return [...sorted.rejections, ...(await this.writer.appendWithView('identifies', usersView, sorted))];
  }

  @HandlesBlocks(refusedMessageTopic)
  async storeRefused(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, refusedMessageTopic);
    return [...sorted.rejections, ...(await this.writer.append('refused_messages', sorted))];
  }
}
