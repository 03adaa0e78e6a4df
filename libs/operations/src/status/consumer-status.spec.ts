import { expect, it } from 'vitest';
import { describeStuck } from '@sluice/console-api';

it('names the error of a stuck partition, and the log where the error has no name', () => {
  expect(describeStuck({ what: 'block', code: 'UNKNOWN_TABLE at shard b' })).toBe(
    'the INSERT fails with UNKNOWN_TABLE at shard b',
  );
  expect(describeStuck({ what: 'block', code: 'Error' })).toBe(
    'the INSERT fails with an error that only the log of the consumer names',
  );
});
