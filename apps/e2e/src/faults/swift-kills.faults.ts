import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasSwift, howToGetSwift, swift } from '../sdk/swift/swift-device.js';
import { complaints, swiftKills } from '../sdk/swift/swift-kills.js';

const kills = Number(process.env['KILLS'] ?? 5_000);
/** Devices at a time. */
const lanes = 4;
const isThere = hasSwift();
if (!isThere) console.log(howToGetSwift);

/** `kill -9` of native processes while they write, sync, send and remove. */
it.skipIf(!isThere)(
  'devices that are killed again and again lose and double nothing',
  { timeout: 10_800_000 },
  async () => {
    await swift('build', '--product', 'sluice-device', '-j', '1', '-Xswiftc', '-warnings-as-errors');
    const folder = await mkdtemp(join(tmpdir(), 'sluice-swift-kills-'));
    const lives = Math.ceil(kills / lanes);
    try {
      const sums = await Promise.all(
        Array.from({ length: lanes }, (_, lane) =>
          swiftKills(join(folder, String(lane)), lives, {
            progress: (life) => {
              if (life % 100 === 0) console.log(`device ${lane}: ${life} kills`);
            },
          }),
        ),
      );
      console.table(sums);
      expect(sums.map(complaints)).toEqual(sums.map(() => []));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
