import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { aTab } from './a-tab.spec-support.js';

const minutes = 10;
const page = readFileSync(new URL('../../../docs/sdk/parity.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## Requests a minute');
const rows = section.split('\n').filter((line) => /^\| an? /.test(line));

async function requestsPerMinute(flushInterval: number, everyMs: number, events: number): Promise<number> {
  const { client, clock, bodies } = aTab({ flushInterval });
  for (let ms = 0; ms < minutes * 60_000; ms += everyMs) {
    for (let event = 0; event < events; event++) client.track('e');
    await clock.advance(everyMs);
  }
  return Math.round(bodies.length / minutes);
}

it.each([
  ['a game', 1_000, 1],
  ['a shop', 5_000, 1],
  ['a reader', 30_000, 1],
  ['a tool', 60_000, 3],
])('%s makes the requests a minute that docs/sdk/parity.md says', async (app, everyMs, events) => {
  const row = rows.find((line) => line.startsWith(`| ${app}:`)) ?? '';
  const [perMinute, phone, debug] = row.split('|').slice(2).map(Number);
  expect(perMinute).toBe((60_000 / everyMs) * events);
  expect([await requestsPerMinute(15_000, everyMs, events), await requestsPerMinute(2_000, everyMs, events)]).toEqual([
    phone,
    debug,
  ]);
});
