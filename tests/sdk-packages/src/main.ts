// `npm run test:packages`: the files of a release in empty projects, whose frameworks come from registries. Takes minutes
// and half a gigabyte.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { frameworks } from './frameworks.js';
import { mobileApps } from './mobile.js';
import { findFiles } from './tarballs.js';

const [folder = 'dist/release', ...names] = process.argv.slice(2);
const files = findFiles(resolve(folder));
let failed = 0;
const projects = [...frameworks, ...mobileApps].filter(({ name }) => names.length === 0 || names.includes(name));
for (const framework of projects) {
  const { name } = framework;
  if (framework.hasTools?.() === false) {
    console.log(`${name}: left out, because its tools are not on this machine`);
    continue;
  }
  const startTime = performance.now();
  try {
    const project = framework.try(files);
    rmSync(project.folder, { recursive: true, force: true });
    console.log(`${name}: installed, typed, built in ${Math.round((performance.now() - startTime) / 1_000)} s`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
