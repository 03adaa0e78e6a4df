import { Injectable } from '@nestjs/common';
import { header, type RowOrigin, type Topic } from '@sluice/contracts';
import { Publisher } from '@sluice/kafka';
import { type SourceRequest } from './source-request.js';

/** The acknowledgement of interface §2.10. */
export interface Queued {
  status: 'QUEUED';
}

/** A finished row and the key that keeps the rows of one person or entity in order. */
export interface KeyedRow {
  key: string;
  row: RowOrigin;
}

/** From finished rows to an acknowledged request. */
@Injectable()
export class Intake {
  constructor(private readonly publisher: Publisher) {}

  /**
   * Resolves when every row is durable in Kafka.
   * @throws NotPublishedError when that did not happen.
   */
  async queue(topic: Topic, { id, traceparent }: SourceRequest, rows: readonly KeyedRow[]): Promise<Queued> {
    const headers = { [header.contract]: topic.contract, [header.requestId]: id, ...traceparent };
    await this.publisher.publish(
      rows.map(({ key, row }) => ({ topic: topic.name, key, value: JSON.stringify(row), headers })),
    );
    return { status: 'QUEUED' };
  }
}
