import { existsSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mutated } from '@sluice/sdk-contract';
import { createClientOn } from './create-client.js';
import { Phone } from './phone.spec-support.js';
import { legacyFileStorage } from './storage/expo-files.js';
import { filesOf, legacyFilesOf } from './storage/file-folder.spec-support.js';
import { filesStorage } from './storage/files.js';

// An app without a network that tracks as fast as it can, until it is killed. It prints the numbers of the events that
// are promised: with a synchronous store after `track`, with an asynchronous one after `saved`.

const [folder = '', kind = '', start = '', mutant] = process.argv.slice(2);
globalThis.fetch = () => Promise.reject(new TypeError('Network request failed'));
const isAsync = kind === 'asynchronous';
const client = createClientOn(new Phone('android'), {
  android: { apiKey: 'key', sourceIdentifier: 'Source000001' },
  apiHost: 'https://sluice.test',
  storage: isAsync ? legacyFileStorage(legacyFilesOf(folder)) : filesStorage(filesOf(`${folder}/sluice`)),
  flushAt: 5,
});

/** Files of the batches that killed apps left. */
function waiting(): string[] {
  const place = join(folder, 'sluice');
  const names = existsSync(place) ? readdirSync(place) : [];
  return names.filter((name) => name.startsWith('sluice.b.')).map((name) => join(place, name));
}

const track = mutated(mutant, { track: client.track.bind(client), files: waiting });
for (let at = Number(start); ; at++) {
  track('viewed', { at });
  if (!isAsync || (await client.saved())) writeSync(1, `${at}\n`);
  if (at % 7 === 0) await sleep(1);
}
