import { Controller } from '@nestjs/common';
import { TableWriter } from '@sluice/clickhouse';
import { FinalError, identifyTopic, refusedMessageTopic, trackTopic } from '@sluice/contracts';
import { type Block, HandlesBlocks, type Rejection, sortByContract, type SortedBlock } from '@sluice/kafka';
import { errorCode } from '@sluice/service';

const usersView = { name: 'users_from_identifies', target: 'users' };

/** Failures of a table that is missing or forbidden; events must not wait until someone repairs the canary's. */
const unusableTable: ReadonlySet<string> = new Set(['UNKNOWN_TABLE', 'ACCESS_DENIED']);

/** Stores blocks of the tracking topics. */
@Controller()
export class TrackingController {
  constructor(private readonly writer: TableWriter) {}

  @HandlesBlocks(trackTopic)
  async storeEvents(block: Block): Promise<Rejection[]> {
    const sorted = sortByContract(block, trackTopic);
    const refusedEvents = await this.writer.append('events', sorted);
    return [...sorted.rejections, ...refusedEvents, ...(await this.storeProbes(sorted))];
  }

  /** Stores the probes of a block of events as these are stored, after them: docs/decisions/0114-canary.md. */
  private async storeProbes({ probes, ...block }: SortedBlock): Promise<Rejection[]> {
    if (probes.rows.length === 0) return [];
    try {
      return await this.writer.append('canary_probes', { ...block, ...probes });
    } catch (error) {
      const code = errorCode(error);
      if (!unusableTable.has(code) && !(error instanceof FinalError)) throw error;
      return probes.rows.map((message) => ({ message, reason: `canary_probes does not take probes: ${code}` }));
    }
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
