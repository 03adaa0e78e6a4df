import { Logger } from '@nestjs/common';
import { retry } from '@sluice/service';
import { type Consumer } from '@sluice/kafkajs';

const pauses = { firstPauseMs: 500, maxPauseMs: 10_000 };

const logger = new Logger('Kafka');

/** Connects and subscribes, retrying for as long as it takes. @throws the reason of the signal once it is aborted. */
export function connectForGood(consumer: Consumer, topics: string[], signal: AbortSignal): Promise<void> {
  const onFailure = ({ error }: { error: unknown }): void =>
    logger.warn({ msg: 'Kafka cannot be reached, trying again', error: String(error) });
  const work = async (): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
  };
  return retry(work, { ...pauses, signal, onFailure });
}
