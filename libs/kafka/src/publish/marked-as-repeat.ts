import { header } from '@sluice/contracts';
import { type IHeaders } from '@sluice/kafkajs';

/** The headers of a message that is looked up before it is stored: Kafka, or the table, may have it already. */
export const markedAsRepeat = (headers: IHeaders | undefined): IHeaders => ({
  ...headers,
  [header.possibleRepeat]: '1',
});
