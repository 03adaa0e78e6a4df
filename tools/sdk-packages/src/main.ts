// `npm run test:packages`: the tarballs in projects of frameworks from the registry. Takes minutes and half a gigabyte.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { frameworks } from './frameworks.js';
import { tarballsIn } from './tarballs.js';

const [folder = 'dist/sdks', ...names] = process.argv.slice(2);
const tarballs = tarballsIn(resolve(folder));
let failed = 0;
for (const framework of frameworks.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const { name } = framework;
  const began = performance.now();
  try {
    const project = framework.try(tarballs);
    rmSync(project.folder, { recursive: true, force: true });
    console.log(`${name}: installed, typed, built in ${Math.round((performance.now() - began) / 1_000)} s`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
