import { runVector, vectorFiles } from '@sluice/sdk-contract';
import { FakeStorage, SlowStorage } from '../queue/fake-storages.spec-support.js';
import { KvDevice } from '../queue/kv-device.spec-support.js';

// Runs the vectors in an engine that has `print` and timers, and nothing else. Prints one line for each vector.

declare const print: (line: string) => void;

const filling = {
  apiKey: 'key-of-the-test',
  sourceIdentifier: 'Source000001',
  token: (name: string) => `token-${name}`,
};

async function runAll(): Promise<void> {
  for (const [file, vectors] of vectorFiles) {
    for (const vector of vectors) {
      if (vector.platform && !vector.platform.includes('react-native')) continue;
      for (const storage of [new FakeStorage(), new SlowStorage(1)]) {
        try {
          await runVector(vector, filling, new KvDevice(storage));
          print('ok');
        } catch (error) {
          const { message, cause } = error as { message: string; cause?: unknown };
          print(`FAILED ${file}: ${message}: ${String(cause)}`);
        }
      }
    }
  }
}

void runAll().then(() => print('done'));
