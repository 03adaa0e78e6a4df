import { Injectable } from '@nestjs/common';
import { type DeadLetter, kafkaVariables, type Replay } from '@sluice/kafka';
import { privacyVariables } from '@sluice/privacy';
import {
  dismissLetters,
  type LettersInQuestion,
  type LettersToRead,
  type LettersToDismiss,
  OperationError,
  replayLetters,
  selectLetters,
} from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { ShellActions, userName } from '../connection/shell-actions.js';

/** Max number of ids in the record of a replay. */
const maxNamed = 100;

/** Reads, replays and dismisses the dead letters of all topics, with the servers of the command line. */
@Injectable()
export class LetterAccess {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
  ) {}

  select(selection: LettersToRead): Promise<DeadLetter[]> {
    return selectLetters(this.connection.read(kafkaVariables), selection);
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
    const [firstLetter] = letters;
    const object = letters.length === 1 && firstLetter ? firstLetter.id : `${letters.length} letters`;
    const details = { letters: letters.slice(0, maxNamed).map(({ id }) => id), count: letters.length };
    return this.actions.record({ operation: 'dead-letters.replay', object, details }, () =>
      replayLetters(config, letters),
    );
  }

  /**
   * Marks letters as needing no more attention: those with the ids, or all that match.
   * @returns their ids; with `isTrial` nothing is written
   * @throws OperationError when a letter does not exist, or Kafka does not take the audit record; nothing was done then.
   */
  async dismiss(
    selection: Omit<LettersToDismiss, 'why' | 'by'>,
    why: string,
    isTrial: boolean,
  ): Promise<LettersInQuestion> {
    const config = this.connection.read(kafkaVariables);
    let dismissed: LettersInQuestion = { ids: [], oldest: 0 };
    await dismissLetters(config, { ...selection, why, by: userName() }, async (letters, write) => {
      dismissed = letters;
      const { ids, oldest } = letters;
      const count = ids.length + oldest;
      if (isTrial || count === 0) return;
      const [firstId = ''] = ids;
      const object = count === 1 ? firstId : `${count} letters`;
      const details = { letters: ids.slice(0, maxNamed), count, why };
      await this.actions.record({ operation: 'dead-letters.dismiss', object, details }, write);
    });
    return dismissed;
  }
}
