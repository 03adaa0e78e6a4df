import { randomUUID } from 'node:crypto';
import { type SourceList } from '@sluice/console-api';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const word = `list-${randomUUID()}`;
const names = ['one', 'two', 'three', 'four', 'five'].map((name) => `${word} ${name}`);
let site: TestConsole;
let cookie: string;

const list = async (query: string): Promise<SourceList> =>
  (await site.ask('GET', `/api/sources?${query}`, { cookie })).json<SourceList>();
const namesOf = ({ sources }: SourceList): string[] => sources.map(({ name }) => name);

beforeAll(async () => {
  site = await TestConsole.start();
  ({ cookie } = await site.signIn('editor'));
  for (const name of names) await site.ask('POST', '/api/sources', { cookie, body: { name, type: 'tracking-api' } });
  await eventually(async () => expect((await list(`text=${word}`)).found).toBe(names.length));
}, 60_000);
afterAll(() => site.stop());

it('finds sources by a part of the name, and in pages', async () => {
  const [first, second] = await Promise.all([
    list(`text=${word.toUpperCase()}&order=name&limit=3`),
    list(`text=${word}&order=name&limit=3&skip=3`),
  ]);
  expect([...namesOf(first), ...namesOf(second)]).toEqual([...names].sort());
  expect([first.found, second.found]).toEqual([names.length, names.length]);
  expect(first.all).toBeGreaterThanOrEqual(names.length);
  expect(await list('text=no such source')).toMatchObject({ sources: [], found: 0 });
});

it('finds a source by its identifier, and by its status', async () => {
  const [one] = (await list(`text=${encodeURIComponent(names[0] ?? '')}`)).sources;
  const id = one?.sourceIdentifier ?? '';
  expect(namesOf(await list(`text=${id}&limit=1`))).toEqual([names[0]]);
  await site.ask('PUT', `/api/sources/${id}/status`, { cookie, body: { status: 'disabled' } });
  await eventually(async () => expect(namesOf(await list(`text=${word}&status=disabled`))).toEqual([names[0]]));
  expect((await list(`text=${word}&status=enabled`)).found).toBe(names.length - 1);
});
