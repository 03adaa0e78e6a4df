import { header, mayBeOneObject, type Topic } from '@sluice/contracts';
import { type Block, type Refusal, type StoredMessage } from './block.js';
import { headerOf } from './message-parts.js';

/** A message whose value is a finished row. */
export type RowMessage = StoredMessage & { readonly value: Buffer };

/** What a writer has to know of a block, and what it never sees. */
export interface SortedBlock extends Pick<Block, 'id' | 'partition' | 'replay'> {
  readonly rows: RowMessage[];
  /** Those of the rows that may be in Kafka more than once. */
  readonly possibleRepeats: RowMessage[];
  readonly refusals: Refusal[];
}

/** Tells rows of a topic's contract from what cannot be one: tombstones, empty values, other or missing contracts. */
export function sortByContract({ id, partition, replay, messages }: Block, { contract }: Topic): SortedBlock {
  const sorted: SortedBlock = { id, partition, replay, rows: [], possibleRepeats: [], refusals: [] };
  for (const message of messages) {
    const reason = whyRefused(message, contract);
    if (reason === undefined) {
      sorted.rows.push(message as RowMessage);
      if (headerOf(message, header.possibleRepeat) !== undefined) sorted.possibleRepeats.push(message as RowMessage);
    } else sorted.refusals.push({ message, reason });
  }
  return sorted;
}

function whyRefused(message: StoredMessage, contract: string): string | undefined {
  const { value } = message;
  if (value === null || value.length === 0) return 'no value';
  const found = headerOf(message, header.contract);
  if (found !== contract) return found === undefined ? 'no contract header' : `unknown contract ${found}`;
  return mayBeOneObject(value) ? undefined : 'value is not a row';
}
