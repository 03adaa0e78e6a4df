import { type ForeignViewStatus, type StuckStatus } from './status.js';

/**
 * Describes a failing view that is not one of Sluice's, such as `analysts.totals, a view of others on events, fails with
 * CANNOT_PARSE_TEXT`.
 */
export const describeForeignView = ({ view, table, code }: ForeignViewStatus): string =>
  `${view}, a view of others on ${table}, ${code === 'SLOW' ? 'may be what makes INSERTs slow' : `fails with ${code}`}`;

/** Whether a code says nothing: an error without a code, such as one that a library made of a text. */
const isNameless = (code: string): boolean => code === 'Error' || code === 'unknown';

/** Says why a partition is stuck, such as `the INSERT fails with UNKNOWN_TABLE`. */
export function describeStuck({ what: step, code }: Pick<StuckStatus, 'what' | 'code'>): string {
  const [error = '', shard] = code.split(' at shard ');
  const place = shard === undefined ? '' : ` at shard ${shard}`;
  const isSilent = error === 'no_answer';
  const reason = isNameless(error) ? 'an error that only the log of the consumer names' : error;
  switch (step) {
    case 'block':
      return isSilent
        ? `the last INSERT got no answer of ClickHouse${place}`
        : `the INSERT fails with ${reason}${place}`;
    case 'turn':
      return `it waits for earlier INSERTs into its table${isSilent ? ', which have no answer yet' : ` (${reason})`}${place}`;
    case 'commit':
      return isSilent ? 'the last commit got no answer of Kafka' : `Kafka refuses the commit with ${reason}`;
    case 'dead letters':
      return isSilent
        ? 'Kafka did not answer when its dead letters were written'
        : `its dead letters cannot be written: ${reason}`;
    case 'undecodable':
      return `its next batch cannot be decoded: ${reason}`;
    default:
      return `${step} fails with ${reason}${place}`;
  }
}
