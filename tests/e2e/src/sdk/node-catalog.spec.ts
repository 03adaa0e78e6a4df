import { randomUUID } from 'node:crypto';
import { createCatalog, type RefusedEntity, type SluiceErrorCode } from '@sluice/node';
import { eventually } from '@sluice/testing';
import { expect, it } from 'vitest';
import { local, select } from '../stack.js';

it('the Node SDK sends a catalog: states in their order, deletions, and names what is refused', async () => {
  const prefix = randomUUID().slice(0, 8);
  const codes: SluiceErrorCode[] = [];
  const refusals: RefusedEntity[] = [];
  const { source, gateway } = local();
  const catalog = createCatalog({
    credentials: source,
    apiHost: gateway.url,
    errorHandler: ({ code }) => void codes.push(code),
    onRefused: (entity) => void refusals.push(entity),
  });
  for (let n = 0; n < 2_000; n++) {
    const id = `${prefix}-${n % 300}`;
    if (n % 300 === 7) await catalog.delete('general', id);
    else await catalog.send('general', { id, type: prefix, data: { n } });
  }
  await catalog.send('general', { id: `${prefix}-bad`, type: 5 });
  expect(await catalog.close()).toEqual({ sent: 2_000, refused: 1, left: 0 });
  expect(refusals).toMatchObject([{ type: 'general', id: `${prefix}-bad` }]);
  expect(codes).toEqual(['refused']);
  await eventually(async () => {
    const [row] = await select(
      `SELECT count() AS entities, countIf(data.n::Int64 >= 1700) AS last FROM current_general_entities
       WHERE type = {prefix:String}`,
      { prefix },
    );
    expect([Number(row?.['entities']), Number(row?.['last'])]).toEqual([299, 299]);
  });
});
