import { eventually } from '@sluice/testing';
import { expect, it } from 'vitest';
import { operator, post, type SourceCredentials } from './stack.js';

const event = { userId: 'u', event: 'e' };

const becomes = (status: number, source: SourceCredentials) =>
  eventually(async () => {
    expect((await post('track', event, { source })).status).toBe(status);
  });

it('without a restart, a new source works and a disabled source or revoked key stops working', async () => {
  const source = await operator<SourceCredentials & { keyId: string }>(
    'sources',
    'create',
    '--name',
    'New',
    '--type',
    'web-sdk',
  );
  await becomes(200, source);

  await operator('sources', 'disable', source.sourceIdentifier);
  await becomes(404, source);
  await operator('sources', 'enable', source.sourceIdentifier);
  await becomes(200, source);

  const rotated = await operator<SourceCredentials>('sources', 'rotate-key', source.sourceIdentifier);
  await becomes(200, rotated);
  await becomes(200, source);
  await operator('sources', 'revoke-key', source.sourceIdentifier, '--key-id', source.keyId);
  await becomes(401, source);
  await becomes(200, rotated);
});
