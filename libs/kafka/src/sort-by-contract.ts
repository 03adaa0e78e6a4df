import { header, type Topic } from '@sluice/contracts';
import { type Block, type Refusal, type StoredMessage } from './block.js';

/** A message whose value is a finished row. */
export type RowMessage = StoredMessage & { readonly value: Buffer };

export interface SortedBlock {
  rows: RowMessage[];
  refusals: Refusal[];
}

const openingBrace = '{'.charCodeAt(0);

/** Tells rows of a topic's contract from what cannot be one: tombstones, empty values, other or missing contracts. */
export function sortByContract({ messages }: Block, { contract }: Topic): SortedBlock {
  const sorted: SortedBlock = { rows: [], refusals: [] };
  for (const message of messages) {
    const reason = whyRefused(message, contract);
    if (reason === undefined) sorted.rows.push(message as RowMessage);
    else sorted.refusals.push({ message, reason });
  }
  return sorted;
}

function whyRefused({ value, headers }: StoredMessage, contract: string): string | undefined {
  if (value === null || value.length === 0) return 'no value';
  const found = headers?.[header.contract]?.toString();
  if (found !== contract) return found === undefined ? 'no contract header' : `unknown contract ${found}`;
  return value[0] === openingBrace && value.length > 2 ? undefined : 'value is not a row';
}
