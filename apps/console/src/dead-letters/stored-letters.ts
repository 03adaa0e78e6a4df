import { Injectable } from '@nestjs/common';
import { type DeadLetter } from '@sluice/kafka';
import { destinationOf } from '@sluice/operations';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

const messageId = /"message_id"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;

/** Finds out whether the messages of letters are rows by now. */
@Injectable()
export class StoredLetters {
  constructor(private readonly tables: Tables) {}

  /** Ids of the letters whose message id is stored. Letters of tables that merge are never among them. */
  async among(user: Pick<CurrentUser, 'id'>, letters: readonly DeadLetter[]): Promise<ReadonlySet<string>> {
    const byTable = Map.groupBy(letters, ({ topic }) => destinationOf(topic));
    const found = new Set<string>();
    for (const [destination, ofTable] of byTable) {
      if (destination?.hasMessageId !== true) continue;
      const ids = new Map(ofTable.flatMap((letter) => idOf(letter)));
      const rows = await this.tables
        .select<{ id: string }>(
          user,
          `SELECT DISTINCT toString(message_id) AS id FROM ${destination.table} WHERE message_id IN ({ids:Array(UUID)})`,
          { ids: [...ids.keys()] },
        )
        .catch(() => []);
      for (const { id } of rows) found.add(ids.get(id) ?? '');
    }
    return found;
  }
}

function idOf({ id, value }: DeadLetter): [messageId: string, letter: string][] {
  const found = messageId.exec(value?.toString() ?? '')?.[1];
  return found === undefined ? [] : [[found, id]];
}
