import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

it('every place that `npx nx release` writes has the version of the workspace, and each is found', async () => {
  // The path is a variable, because the module has no types.
  const module = new URL('deploy/version-places.mjs', root).href;
  const { places } = (await import(module)) as { places: [file: string, place: RegExp][] };
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const versions = places.map(([file, place]) => [file, place.exec(read(file))?.[0].endsWith(version)]);
  expect(versions).toEqual(places.map(([file]) => [file, true]));
});
