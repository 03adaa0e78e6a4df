import { Injectable } from '@nestjs/common';
import { type DeadLetter, kafkaVariables, type Replay } from '@sluice/kafka';
import { type LetterConditions, OperationError, replayLetters, selectLetters } from '@sluice/operations';
import { Connection } from '../connection/connection.js';

/** Reads and replays the dead letters of all topics, with the servers of the command line. */
@Injectable()
export class LetterAccess {
  constructor(private readonly connection: Connection) {}

  select(conditions: LetterConditions): Promise<DeadLetter[]> {
    return selectLetters(this.connection.read(kafkaVariables), conditions);
  }

  /** @throws OperationError when the letter does not exist. */
  async get(id: string): Promise<DeadLetter> {
    const [letter] = await this.select({ ids: [id], limit: 1 });
    if (!letter) throw new OperationError(`no dead letter ${id}`);
    return letter;
  }

  /** @throws OperationError when Kafka cannot be reached; nothing was sent then. */
  replay(letters: readonly DeadLetter[]): Promise<Replay> {
    return replayLetters(this.connection.read(kafkaVariables), letters);
  }
}
