import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import { kafkaVariables } from '@sluice/kafka';
import { OperationError, ServerUnreachableError } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { ShellActions } from '../connection/shell-actions.js';
import { type ImportState } from '../files/import-progress.js';
import { say } from '../output.js';
import { type EntityType } from './entity-type.js';
import { type FeedCounts } from './feed-comparison.js';

export interface RecordedImport {
  source: string;
  type: EntityType;
  file: string;
}

type Sending = () => Promise<ImportState<EntityType>>;

/** Writes imports into the audit, by which the console shows them: docs/decisions/0120-imports-are-actions.md. */
@Injectable()
export class ImportRecords {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
  ) {}

  /** Records the replacement of a feed. @throws ServerUnreachableError if it cannot be recorded: then nothing was sent. */
  recordReplacement(feed: RecordedImport, compared: FeedCounts, send: Sending): Promise<ImportState<EntityType>> {
    return this.record('catalog.replace', feed, { compared: toRecordedCounts(compared) }, send);
  }

  /** Records an import that needs no more than the gateway: where Kafka is not known or unreachable, it runs all the same. */
  async recordImport(feed: RecordedImport, send: Sending): Promise<ImportState<EntityType>> {
    const sending = { hasBegun: false };
    const begin: Sending = () => {
      sending.hasBegun = true;
      return send();
    };
    try {
      this.connection.read(kafkaVariables);
      return await this.record('catalog.import', feed, {}, begin);
    } catch (error) {
      if (sending.hasBegun || !(error instanceof OperationError || error instanceof ServerUnreachableError))
        throw error;
      say(`the console will not show this import: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}`);
      return send();
    }
  }

  private record(
    operation: string,
    { source, type, file }: RecordedImport,
    details: Record<string, unknown>,
    send: Sending,
  ): Promise<ImportState<EntityType>> {
    const startedAt = performance.now();
    return this.actions.record(
      { operation, object: source, details: { type, file: basename(file), ...details } },
      send,
      ({ settled, refused, partlyStored }) => ({
        ...{ records: settled, refused, partlyStored },
        seconds: Math.round((performance.now() - startedAt) / 1_000),
      }),
    );
  }
}

/** Counts as the console reads them. */
const toRecordedCounts = ({ new: newCount, changed, same, deleted, stored }: FeedCounts): Record<string, number> => ({
  ...{ added: newCount, changed, same, deleted, stored },
});
