import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { createSegmentSource, postSegment, type SegmentSource } from './segment/write-key.js';
import { type HttpAnswer, operator, post, select, sync } from './stack.js';

const bound = 3;
const boundText = 'new names beyond the bound of the source are kept as text in _more_names';

let source: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
  await operator('sources', 'limit', source.sourceIdentifier, '--names-per-day', String(bound));
  // The gateway knows the limit when it would keep a name as text.
  await eventually(async () => {
    const body = { userId: 'u', event: 'e', properties: { a: 1, b: 1, c: 1, d: 1 } };
    expect((await post('track?validate=only', body, { source })).body).toMatchObject({
      dropped: [{ message: boundText }],
    });
  });
  // The names of the source, up to its bound.
  await post('track', { userId: 'u', event: 'e', properties: { a: 0, b: 0 }, context: { a: 0 } }, { source });
});

const person = { userId: 'u' };
/** An object with a name that is known in `properties`, and a new one. */
const object = (): Record<string, unknown> => ({ a: 1, deep: { [`new-${randomUUID()}`]: [{ x: 'y' }] } });

interface Path {
  table: string;
  column: string;
  /** True when the name `a` is known in the column. */
  isKnown: boolean;
  send: (value: object) => Promise<HttpAnswer>;
  /** Place of the object in `dropped`. */
  field: string;
}
const ofSegment = (item: object) => postSegment('batch', { batch: [{ ...person, ...item }] }, { source });
const paths: Record<string, Path> = {
  track: {
    ...{ table: 'events', column: 'properties', isKnown: true, field: 'properties' },
    send: (properties) => post('track', { ...person, event: 'e', properties }, { source }),
  },
  trackBatch: {
    ...{ table: 'events', column: 'context', isKnown: true, field: 'list[0].context' },
    send: (context) => post('trackBatch', { list: [{ ...person, event: 'e', context }] }, { source }),
  },
  identify: {
    ...{ table: 'identifies', column: 'traits', isKnown: false, field: 'traits' },
    send: (traits) => post('identify', { ...person, traits }, { source }),
  },
  'a batch of a client of Segment': {
    ...{ table: 'events', column: 'properties', isKnown: true, field: 'batch[0].properties' },
    send: (properties) => ofSegment({ type: 'track', event: 'e', properties }),
  },
  general: {
    ...{ table: 'general_entities', column: 'data', isKnown: false, field: 'data' },
    send: (data) => sync('general', { id: randomUUID(), data }, { source }),
  },
};

it.each(Object.entries(paths))('names beyond the bound are kept as text: %s', async (_, path) => {
  const { table, column, isKnown, send, field } = path;
  const value = object();
  const { status, body, headers } = await send(value);
  expect([status, body]).toEqual([200, expect.objectContaining({ dropped: [{ field, message: boundText }] })]);

  const [[name, member] = ['', '']] = Object.entries(value['deep'] as object) as [string, unknown][];
  const more = { ...(!isKnown && { a: 1 }), deep: { [name]: member } };
  await eventually(async () => {
    const query = `SELECT toString(${column}._more_names) AS more, JSONAllPaths(${column}) AS names FROM ${table}
      WHERE request_id = {id:UUID}`;
    const [row] = await select<{ more: string; names: string[] }>(query, { id: headers.get('x-request-id') });
    expect(row?.names).toEqual(['_more_names', ...(isKnown ? ['a'] : [])]);
    expect(JSON.parse(row?.more ?? '')).toEqual(more);
  });
});

it('columns that are made from values are complete, whatever their names', async () => {
  const properties = { product_id: randomUUID(), items: [{ product_id: 'p-2' }] };
  const context = { user_agent: `Agent ${randomUUID()}` };
  const { headers } = await post('track', { ...person, event: 'e', properties, context }, { source });
  await eventually(async () => {
    const query = 'SELECT product_ids, user_agent FROM events WHERE request_id = {id:UUID}';
    expect(await select(query, { id: headers.get('x-request-id') })).toEqual([
      { product_ids: [properties.product_id, 'p-2'], user_agent: context.user_agent },
    ]);
  });
});
