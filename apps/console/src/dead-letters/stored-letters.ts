import { Injectable } from '@nestjs/common';
import { type LetterSummary } from '@sluice/kafka';
import { findDestination } from '@sluice/operations';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

/** Finds out whether the messages of letters are rows by now. */
@Injectable()
export class StoredLetters {
  constructor(private readonly tables: Tables) {}

  /** Ids of the letters whose message id is stored. Letters of tables that merge are never among them. */
  async among(
    user: Pick<CurrentUser, 'id'>,
    letters: readonly Pick<LetterSummary, 'id' | 'topic' | 'messageId'>[],
  ): Promise<ReadonlySet<string>> {
    const byTable = Map.groupBy(letters, ({ topic }) => findDestination(topic));
    const storedIds = new Set<string>();
    for (const [destination, ofTable] of byTable) {
      if (destination?.hasMessageId !== true) continue;
      const ids = new Map(
        ofTable.flatMap(({ id, messageId }) => (messageId === null ? [] : [[messageId, id] as const])),
      );
      const rows = await this.tables
        .select<{ id: string }>(
          user,
          `SELECT DISTINCT toString(message_id) AS id FROM ${destination.table} WHERE message_id IN ({ids:Array(UUID)})`,
          { ids: [...ids.keys()] },
        )
        .catch(() => []);
      for (const { id } of rows) storedIds.add(ids.get(id) ?? '');
    }
    return storedIds;
  }
}
