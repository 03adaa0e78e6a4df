import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBatchFile } from '@sluice/sdk-contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { listComplaints, hasSwift, howToGetSwift, kill, runSwift, SwiftDevice, swiftKills } from '@sluice/sdk-faults';

const isThere = hasSwift();
if (!isThere) console.log(howToGetSwift);

const minutes = 60_000;
const source = { apiKey: 'key-of-the-test', sourceIdentifier: 'Source000001' };

/** Kills processes of one device. */
const kills = (limit: number, mutant?: string) =>
  kill(swiftKills, { limit, mutant, devices: 1, seed: Date.now(), tailMs: 0, durationMs: 5 * minutes });

describe.skipIf(!isThere)('the Swift SDK', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-swift-'));
    // Strict concurrency is that of Swift 6; a warning is an error.
    await runSwift('build', '--build-tests', '-j', '1', '-Xswiftc', '-warnings-as-errors');
    return () => rm(folder, { recursive: true, force: true });
  }, 15 * minutes);

  it(
    'passes its own tests: vectors, golden files, store, client, notifications',
    { timeout: 10 * minutes },
    async () => {
      const output = await runSwift('test', '-j', '1', '-Xswiftc', '-warnings-as-errors');
      expect(output).toMatch(/\b(19\d|2\d\d) vectors\b/);
      expect(output).toMatch(/with 0 failures/);
    },
  );

  it('leaves a queue that the reader of the contract reads', async () => {
    const lines = await new SwiftDevice('fill', join(folder, 'fill'), 'https://sluice.test', source).all();
    const queue = join(folder, 'fill', 'queue');
    const files = await Promise.all(
      (await readdir(queue)).map(async (name) => parseBatchFile(await readFile(join(queue, name)))),
    );
    const batches = files.map((file) => (file.is === 'batch' ? file : undefined));
    const messages = batches
      .flatMap((batch) => batch?.messages ?? [])
      .map((text) => JSON.parse(text) as { event?: string });
    expect(messages.map(({ event }) => event ?? 'identify').sort()).toEqual(
      ['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'identify'].sort(),
    );
    expect(batches.map((batch) => batch?.isSealed)).toContain(true);
    expect(batches.map((batch) => batch?.isSealed)).toContain(false);
    expect(batches.map((batch) => [batch?.lost, batch?.isTorn])).toEqual(batches.map(() => [0, false]));
    expect(lines.filter((line) => line.startsWith('report'))).toEqual([]);
  });

  it('loses and doubles nothing when it is killed', { timeout: 10 * minutes }, async () => {
    const outcome = await kills(100);
    expect(listComplaints(outcome)).toEqual([]);
    expect(outcome.taken).toBeGreaterThan(100);
  });

  it.each([
    ['drops-half', /^(lost|gaps) /],
    ['new-key', /^doubled /],
    ['forgets-file', /^lost /],
    ['writes-late', /^lost /],
  ] as const)('the kill test fails for a device that %s', { timeout: 5 * minutes }, async (mutant, complaint) => {
    const complaints = listComplaints(await kills(30, mutant));
    console.log(`${mutant}: ${complaints.join(', ')}`);
    expect(complaints).toContainEqual(expect.stringMatching(complaint));
  });
});
