import { Injectable } from '@nestjs/common';
import { allTopics } from '@sluice/contracts';
import { type DeadLetter, DeadLetterBox, kafkaVariables } from '@sluice/kafka';
import { Connection } from '../connection/connection.js';
import { withKafka } from '../connection/with-kafka.js';
import { OperatorError } from '../errors.js';
import { type Selection } from './selection.js';

const limitMs = 120_000;

/** Access to the dead letters of all topics, for as long as one command takes. */
@Injectable()
export class DeadLetters {
  constructor(private readonly connection: Connection) {}

  select({ topic, reason, ids, limit }: Selection): Promise<DeadLetter[]> {
    const topics = allTopics.map(({ name }) => name).filter((name) => topic === undefined || name === topic);
    if (topics.length === 0) throw new OperatorError(`there is no topic ${topic ?? ''}`);
    const wanted = new Set(ids);
    const isFiltered = reason !== undefined || wanted.size > 0;
    const matches = (letter: DeadLetter): boolean =>
      (wanted.size === 0 || wanted.has(letter.id)) && letter.reason.includes(reason ?? '');
    return this.use((box) => box.read({ topics, limit, ...(isFiltered && { matches }) }));
  }

  /** @throws OperatorError when there is no such letter. */
  async get(id: string): Promise<DeadLetter> {
    const [letter] = await this.select({ ids: [id], limit: 1 });
    if (!letter) throw new OperatorError(`no dead letter ${id}`);
    return letter;
  }

  replay(letters: readonly DeadLetter[]): Promise<void> {
    return this.use((box) => box.replay(letters));
  }

  private use<T>(work: (box: DeadLetterBox) => Promise<T>): Promise<T> {
    return withKafka(this.connection.read(kafkaVariables), limitMs, (kafka) => work(new DeadLetterBox(kafka)));
  }
}
