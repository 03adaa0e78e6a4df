import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aNotification } from '../notification.js';
import { createSegmentSource } from '../segment/write-key.js';
import { local } from '../stack.js';
import { installSchemathesis, runSchemathesis } from './schemathesis.js';

/** Settings, for example: FUZZ_EXAMPLES=500 FUZZ_SEED=7 npm run test:fuzz */
const examples = Number(process.env['FUZZ_EXAMPLES'] ?? 100);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

it(
  'every operation answers any request as the OpenAPI document says',
  async ({ skip }) => {
    const installed = await installSchemathesis();
    if (installed === undefined) {
      console.log('Schemathesis was skipped: it needs python3 with venv (Debian: apt-get install python3-venv).');
      skip();
      return;
    }
    const { gateway, source } = local();
    const { token } = await aNotification();
    const folder = await mkdtemp(join(tmpdir(), 'sluice-fuzz-'));
    try {
      const { writeKey } = await createSegmentSource();
      const credentials = { ...source, token, writeKey };
      const { exitCode, report } = await runSchemathesis(installed, folder, gateway.url, credentials, {
        examples,
        seed,
      });
      console.log(report.slice(-20_000));
      expect(Number(/Tested: (\d+)/.exec(report)?.[1])).toBe(countOperations(await readDocument(gateway.url)));
      expect(exitCode).toBe(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  60 * 60_000,
);

interface Document {
  paths: Record<string, object>;
}

const readDocument = async (url: string): Promise<Document> =>
  (await (await fetch(`${url}/openapi.json`)).json()) as Document;

const countOperations = ({ paths }: Document): number =>
  Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
