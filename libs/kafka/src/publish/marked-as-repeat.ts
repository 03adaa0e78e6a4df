import { header } from '@sluice/contracts';
import { type IHeaders } from '@sluice/kafkajs';

/** Headers with the mark of a possible repeat: the message is looked up before it is stored. */
export const markedAsRepeat = (headers: IHeaders | undefined): IHeaders => ({
  ...headers,
  [header.possibleRepeat]: '1',
});
