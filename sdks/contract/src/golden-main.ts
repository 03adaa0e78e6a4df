import { writeFileSync } from 'node:fs';
import { parseBatchFile } from './batch-file.js';
import { goldenFiles } from './golden-files.js';

// Rewrites the golden files. Review the diff of expected.json, which states what every reader must return.
const folder = new URL('../store/', import.meta.url);
for (const [name, bytes] of Object.entries(goldenFiles)) writeFileSync(new URL(name, folder), bytes);
const expected = Object.fromEntries(Object.entries(goldenFiles).map(([name, bytes]) => [name, parseBatchFile(bytes)]));
writeFileSync(new URL('expected.json', folder), `${JSON.stringify(expected, null, 2)}\n`);
