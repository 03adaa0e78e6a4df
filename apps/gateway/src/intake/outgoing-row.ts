import { type RowOrigin, type Topic } from '@sluice/contracts';

/** A complete row and the key that keeps the rows of one person or entity in order. */
export interface KeyedRow {
  key: string;
  row: RowOrigin;
}

/** A complete row and its topic. */
export interface OutgoingRow extends KeyedRow {
  topic: Topic;
}
