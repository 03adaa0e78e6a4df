import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasSwift, howToGetSwift, swift } from '../sdk/swift/swift-device.js';
import { swiftKills } from '../sdk/swift/swift-kills.js';

const lives = Number(process.env['KILLS'] ?? 5_000);
const isThere = hasSwift();
if (!isThere) console.log(howToGetSwift);

/** `kill -9` of a native process while it writes, syncs, sends and removes. */
it.skipIf(!isThere)(
  'a device that is killed again and again loses and doubles nothing',
  { timeout: 3_600_000 },
  async () => {
    await swift('build', '--product', 'sluice-device', '-j', '1');
    const folder = await mkdtemp(join(tmpdir(), 'sluice-swift-kills-'));
    try {
      const sum = await swiftKills(folder, lives, (life) => {
        if (life % 500 === 499) console.log(`${life + 1} kills`);
      });
      console.log(sum);
      expect(sum).toMatchObject({ lives, lost: 0, doubled: 0, torn: 0, left: 0, devices: 1 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
