import { Injectable } from '@nestjs/common';
import { allTopics } from '@sluice/contracts';
import { type DeadLetter, DeadLetterBox, kafkaVariables, type Replay } from '@sluice/kafka';
import { Connection } from '../connection/connection.js';
import { withKafka } from '../connection/with-kafka.js';
import { OperatorError } from '../errors.js';
import { type Selection } from './selection.js';

const readLimitMs = 120_000;
/** Time limit of a replay, which may have millions of letters; each send has its own limit. */
const replayLimitMs = 6 * 60 * 60 * 1_000;

/** Reads and replays the dead letters of all topics, with a connection for each call. */
@Injectable()
export class LetterAccess {
  constructor(private readonly connection: Connection) {}

  select({ topic, reason, ids, limit }: Selection): Promise<DeadLetter[]> {
    const topics = allTopics.map(({ name }) => name).filter((name) => topic === undefined || name === topic);
    if (topics.length === 0) throw new OperatorError(`there is no topic ${topic ?? ''}`);
    const wanted = new Set(ids);
    const isFiltered = reason !== undefined || wanted.size > 0;
    const matches = (letter: DeadLetter): boolean =>
      (wanted.size === 0 || wanted.has(letter.id)) && letter.reason.includes(reason ?? '');
    return this.use(readLimitMs, (box) => box.read({ topics, limit, ...(isFiltered && { matches }) }));
  }

  /** @throws OperatorError when the letter does not exist. */
  async get(id: string): Promise<DeadLetter> {
    const [letter] = await this.select({ ids: [id], limit: 1 });
    if (!letter) throw new OperatorError(`no dead letter ${id}`);
    return letter;
  }

  /** @throws OperatorError when Kafka cannot be reached; nothing was sent then. */
  replay(letters: readonly DeadLetter[]): Promise<Replay> {
    return this.use(replayLimitMs, (box) => box.replay(letters));
  }

  private use<T>(limitMs: number, work: (box: DeadLetterBox) => Promise<T>): Promise<T> {
    return withKafka(this.connection.read(kafkaVariables), limitMs, (kafka) => work(new DeadLetterBox(kafka)));
  }
}
