// Prints the part of CHANGELOG.md for one version: node deploy/release-notes.mjs 1.2.3 [CHANGELOG.md]
import { readFileSync } from 'node:fs';

const [version = '', file = new URL('../CHANGELOG.md', import.meta.url)] = process.argv.slice(2);
/** nx writes `# 1.0.0` for a major version and `## 1.0.1 (2026-01-31)` for the others. */
const isHeading = (line) => /^##? \[?\d+\.\d+\.\d+/.test(line);
const isOfVersion = (line) => /^##? \[?([^\s\]]+)/.exec(line)?.[1] === version;

const lines = readFileSync(file, 'utf8').split('\n');
const from = lines.findIndex((line) => isHeading(line) && isOfVersion(line));
if (from < 0) {
  console.error(`${String(file)} has no version ${version}`);
  process.exit(1);
}
const length = lines.slice(from + 1).findIndex(isHeading);
const part = lines.slice(from + 1, length < 0 ? undefined : from + 1 + length);
console.log(part.join('\n').trim());
