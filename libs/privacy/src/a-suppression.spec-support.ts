import { hashKey } from '@sluice/contracts';
import { type IdKind, PrivacyKey } from './privacy-key.js';
import { suppressionRecord, type Suppression } from './suppression.js';

export const key = new PrivacyKey('a secret of the tests, long enough');
export const otherKey = new PrivacyKey('another secret of the tests, long enough');
export const source = 'AbCdEf123456';

/** The record of a suppressed id. */
export const aSuppression = (kind: IdKind, id: string, change: Partial<Suppression> = {}, by = key) =>
  suppressionRecord(
    { source, kind, hash: by.hash(kind, id) },
    {
      keyId: by.id,
      murmur2: hashKey(`${source}:${id}`),
      mode: 'suppress',
      requestedAt: 1_000,
      request: 'r-1',
      wasErased: false,
      ...change,
    },
  );
