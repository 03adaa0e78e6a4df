import { Injectable } from '@nestjs/common';
import { type DeadLetter, kafkaVariables, type Replay } from '@sluice/kafka';
import { privacyVariables } from '@sluice/privacy';
import { type LetterConditions, OperationError, replayLetters, selectLetters } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { Actions } from '../connection/actions.js';

/** Max number of ids in the record of a replay. */
const maxNamed = 100;

/** Reads and replays the dead letters of all topics, with the servers of the command line. */
@Injectable()
export class LetterAccess {
  constructor(
    private readonly connection: Connection,
    private readonly actions: Actions,
  ) {}

  select(conditions: LetterConditions): Promise<DeadLetter[]> {
    return selectLetters(this.connection.read(kafkaVariables), conditions);
  }

  /** @throws OperationError when the letter does not exist. */
  async get(id: string): Promise<DeadLetter> {
    const [letter] = await this.select({ ids: [id], limit: 1 });
    if (!letter) throw new OperationError(`no dead letter ${id}`);
    return letter;
  }

  /** @throws OperationError when Kafka cannot be reached, or does not take the audit record; nothing was sent then. */
  async replay(letters: readonly DeadLetter[]): Promise<Replay> {
    const config = this.connection.read({ ...kafkaVariables, ...privacyVariables });
    if (letters.length === 0) return replayLetters(config, letters);
    const [first] = letters;
    const object = letters.length === 1 && first ? first.id : `${letters.length} letters`;
    const details = { letters: letters.slice(0, maxNamed).map(({ id }) => id), count: letters.length };
    return this.actions.record({ operation: 'dead-letters.replay', object, details }, () =>
      replayLetters(config, letters),
    );
  }
}
