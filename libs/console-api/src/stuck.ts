import { type ForeignViewStatus, type StuckStatus } from './status.js';

/**
 * Describes a failing view that is not one of Sluice's, such as `analysts.totals, a view of others on events, fails with
 * CANNOT_PARSE_TEXT`.
 */
export const describeForeignView = ({ view, table, code }: ForeignViewStatus): string =>
  `${view}, a view of others on ${table}, ${code === 'SLOW' ? 'may be what makes INSERTs slow' : `fails with ${code}`}`;

/** Says why a partition is stuck, such as `the INSERT fails with UNKNOWN_TABLE`. */
export function describeStuck({ what: step, code }: Pick<StuckStatus, 'what' | 'code'>): string {
  const [error = '', shard] = code.split(' at shard ');
  const place = shard === undefined ? '' : ` at shard ${shard}`;
  const isSilent = error === 'no_answer';
  switch (step) {
    case 'block':
      return isSilent
        ? `the last INSERT got no answer of ClickHouse${place}`
        : `the INSERT fails with ${error}${place}`;
    case 'turn':
      return `it waits for earlier INSERTs into its table${isSilent ? ', which have no answer yet' : ` (${error})`}${place}`;
    case 'commit':
      return isSilent ? 'the last commit got no answer of Kafka' : `Kafka refuses the commit with ${error}`;
    case 'dead letters':
      return isSilent
        ? 'Kafka did not answer when its dead letters were written'
        : `its dead letters cannot be written: ${error}`;
    case 'undecodable':
      return `its next batch cannot be decoded: ${error}`;
    default:
      return `${step} fails with ${error}${place}`;
  }
}
