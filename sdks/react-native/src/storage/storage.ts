import { type MaybePromise } from '@sluice/sdk-core';

/**
 * Store of a client's messages and ids: texts by name. All calls are synchronous, or all return promises.
 *
 * - `getItem` returns what the last `setItem` stored, and null or undefined for a missing name.
 * - A `setItem` that returned, or whose promise resolved, survives a killed app. One that threw changed nothing, or
 *   everything: never a part.
 * - Names consist of letters, digits, `.`, `_` and `-`, and have at most 128 characters. Texts have up to about 800 KB;
 *   48 KB unless `maxBatchBytes` says more.
 *
 * `testStorage` tests these rules.
 */
export interface Storage {
  getItem(name: string): MaybePromise<string | null | undefined>;
  setItem(name: string, text: string): unknown;
  removeItem(name: string): unknown;
  getAllKeys(): MaybePromise<readonly string[]>;
}
