import { type FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { listNamedSources } from './sources-named-by.js';

const source = 'AbCdEf123456';
const key = 'k-_8'.repeat(11).slice(1);
const namedBy = (url: string, { authorization = '', proven = '' } = {}): readonly string[] =>
  listNamedSources({
    ...{ url, headers: { authorization } },
    raw: proven === '' ? {} : { source: proven },
  } as unknown as FastifyRequest);

it.each([
  [`/api/tracker/sdk/${source}/track`],
  [`/api/tracker/sdk/${source}/none?x=1`],
  [`/s/${source}_${key}/v1/none`],
  [`/v1/projects/${source}_${key}/settings`],
])('%s names its source', (url) => expect(namedBy(url)).toContain(source));

it('Basic credentials name their source', () => {
  const authorization = `Basic ${Buffer.from(`${source}_${key}:`).toString('base64')}`;
  expect(namedBy('/v1/track', { authorization })).toContain(source);
});

it('a valid key decides', () => expect(namedBy(`/${source}`, { proven: 'other' })).toEqual(['other']));
