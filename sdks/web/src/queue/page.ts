import { type MaybePromise } from '@sluice/sdk-core';
import { type Head } from './stored.js';

/** The page that a queue belongs to, among others of its origin. */
export interface Page {
  /** Name of this page as the owner of its open batches. */
  readonly owner: string;
  /** True if the page may end before a promise resolves. */
  isLeaving(): boolean;
  /** Resolves with a test of whether another page still appends to an open batch. */
  isOwned(): MaybePromise<(head: Pick<Head, 'owner' | 'created'>) => boolean>;
  /** True if this page sends. */
  isSender(): boolean | undefined;
  /** Announces a new batch to the page that sends. */
  wake(): void;
}
