import { IdentifyMessage, ProductVariant, TrackMessage } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { componentSchemas } from './schemas.js';

const schemas = componentSchemas([IdentifyMessage, ProductVariant, TrackMessage]);
const absent = { type: 'null' };

it.each(['IdentifyMessage', 'TrackMessage'])('%s names a person: not both ids are absent, or null', (name) => {
  expect(schemas[name]).toMatchObject({
    type: 'object',
    not: { properties: { userId: absent, anonymousId: absent } },
  });
  expect(schemas[name]).not.toHaveProperty('anyOf');
});

it('a price says in words how many digits it has', () => {
  const description = expect.stringMatching(/ At most 29 digits before and 9 after the point\.$/) as string;
  expect(schemas['ProductVariant']).toMatchObject({ properties: { price: { type: 'number', description } } });
});
