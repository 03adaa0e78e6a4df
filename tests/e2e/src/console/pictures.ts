import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CreatedSource, type LetterList, type RefusedList } from '@sluice/console-api';
import { type Local, launchChromium, LocalStack, sendTo } from '@sluice/testing';
import { type Page } from 'playwright-core';
import { sendPastGateway } from './past-the-gateway.js';

// `npm run console:pictures [-- overview live…]`: takes pictures, for people, of a real stack under the load of
// `npm run demo`. E2E_DATA_DIR names the folder of a stack that runs already.

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = join(root, '.data/console-pictures/real');
const loadMs = Number(process.env['LOAD_SECONDS'] ?? 120) * 1_000;
/** Time until refusals and letters are visible. */
const settleMs = 5_000;
const looks = [
  { name: 'light-wide', colorScheme: 'light', size: { width: 1440, height: 900 } },
  { name: 'dark-wide', colorScheme: 'dark', size: { width: 1440, height: 900 } },
  { name: 'light-narrow', colorScheme: 'light', size: { width: 390, height: 844 } },
  { name: 'dark-narrow', colorScheme: 'dark', size: { width: 390, height: 844 } },
] as const;

const stack = await LocalStack.start();
const demo = startDemo(stack.dataDir);
const browser = await launchChromium();
try {
  const page = await (await browser.newContext({ baseURL: stack.local.console.url, locale: 'en-US' })).newPage();
  await page.goto(await stack.consoleLink(`pictures-${Date.now()}`));
  await page.getByRole('list', { name: 'Verdicts' }).waitFor();
  const paths = await prepare(page, stack.local);
  await sleep(loadMs);
  await mkdir(folder, { recursive: true });
  const chosenNames = process.argv.slice(2);
  for (const [name, path] of Object.entries(paths))
    if (chosenNames.length === 0 || chosenNames.includes(name)) await take(page, name, path);
  console.log(folder);
} finally {
  // Ends the load before its stack: without a gateway it would try for long to send the rest.
  const isOver = once(demo, 'exit');
  demo.kill('SIGINT');
  await isOver;
  await browser.close();
  await stack.stop();
}

function startDemo(dataDir: string): ChildProcess {
  const env = { ...process.env, SLUICE_DATA_DIR: dataDir };
  const args = [join(root, 'tools/demo/dist/main.js'), '--rate', '20', '--users', '120'];
  return spawn(process.execPath, args, { env, stdio: 'ignore' });
}

type Ask = <T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, data?: object) => Promise<T>;

/** Creates data that the load of the demo lacks. @returns addresses of the pages */
async function prepare(page: Page, local: Local): Promise<Record<string, string>> {
  const from = new Date(Date.now() - settleMs).toISOString();
  const ask: Ask = async <T>(method: string, path: string, data?: object): Promise<T> => {
    const headers = { origin: local.console.url };
    const answer = await page.request.fetch(path, { method, headers, ...(data && { data }) });
    return (await answer.json()) as T;
  };
  const created = await ask<CreatedSource>('POST', '/api/sources', { name: 'Shop on the corner', type: 'web-sdk' });
  await doActions(ask, created.source.sourceIdentifier);
  const bodies = [
    { event: 'order_completed' },
    { userId: '', event: 'cart_filled' },
    { userId: 'u-7', event: 'no good' },
  ];
  for (const body of bodies) await sendTo(local, body);
  const requestId = await sendTo(local, { userId: 'user-7', event: 'order_completed', properties: { total: 49.9 } });
  await sendUnreadable(local);
  await settle(ask);
  const { samples } = await ask<RefusedList>('GET', '/api/refused');
  const { letters } = await ask<LetterList>('GET', '/api/dead-letters');
  return {
    overview: '/?range=15m',
    live: '/live',
    request: `/requests/${requestId}`,
    refused: '/refused?range=15m',
    'refused-sample': `/refused?range=15m&id=${samples[0]?.requestId ?? ''}`,
    try: '/try',
    sources: '/sources',
    source: `/sources/${local.source.sourceIdentifier}?range=15m`,
    'source-setup': `/sources/${created.source.sourceIdentifier}?tab=setup`,
    'source-keys': `/sources/${created.source.sourceIdentifier}?tab=keys`,
    'source-limits': `/sources/${created.source.sourceIdentifier}?tab=limits`,
    pipeline: '/pipeline',
    'dead-letters': '/dead-letters',
    ledger: `/pipeline/ledger?topic=tracking.track.v1&from=${from}&to=${new Date(Date.now() + loadMs / 2).toISOString()}`,
    'dead-letter': `/dead-letters/${encodeURIComponent(letters[0]?.id ?? '')}`,
    account: '/settings',
    users: '/settings?tab=users',
    masks: '/settings?tab=masks',
    audit: '/settings?tab=audit',
    'new-source': '/sources?new=yes',
  };
}

/** Creates users of each role, and does actions that the audit log shows. */
async function doActions(ask: Ask, source: string): Promise<void> {
  const people = [
    { id: 'ada@shop.example', name: 'Ada Lovelace', role: 'editor', payloads: true, privacy: true },
    { id: 'bob', name: 'Bob', role: 'viewer', payloads: false },
    { id: 'farhad.mohammadi@shop.example', name: 'فرهاد محمدی', role: 'admin', payloads: false },
  ];
  for (const person of people) await ask('POST', '/api/users', person);
  await ask('PATCH', '/api/users/bob', { disabled: true });
  await ask('POST', `/api/sources/${source}/keys`, {});
  await ask('PUT', `/api/sources/${source}/limits`, { ratePerSecond: 50, burst: 200, dailyQuota: 1_000_000 });
  await ask('PUT', `/api/sources/${source}/origins`, { origins: ['https://shop.example', 'https://*.shop.example'] });
}

/** Waits until refusals and letters are visible, and replays one letter, which becomes a letter again. */
async function settle(ask: Ask): Promise<void> {
  await sleep(settleMs);
  const { letters } = await ask<LetterList>('GET', '/api/dead-letters');
  await ask('POST', '/api/dead-letters/replay', { ids: letters.slice(-1).map(({ id }) => id) });
  await sleep(settleMs);
}

/** Sends a row that its table cannot read, and one of an unknown contract. */
async function sendUnreadable(local: Local): Promise<void> {
  const { sourceIdentifier: key } = local.source;
  const row = {
    message_id: randomUUID(),
    request_id: randomUUID(),
    source_id: key,
    user_id: 'user-7',
    event: 'order_completed',
    properties: { total: 49.9, currency: 'EUR' },
    timestamp: 'yesterday',
    received_at: new Date().toISOString(),
  };
  await sendPastGateway(local, [
    { key: `${key}:user-7`, value: JSON.stringify(row) },
    { key: `${key}:user-9`, value: JSON.stringify({ ...row, user_id: 'user-9' }), contract: 'track.v9' },
  ]);
}

async function take(page: Page, name: string, path: string): Promise<void> {
  for (const { name: look, colorScheme, size } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    for (const selector of ['[aria-label="Loading"]', '.chart-place:empty', '.editor-place:empty'])
      await page.locator(selector).first().waitFor({ state: 'detached' });
    if (name === 'live') await page.locator('.live-list li').nth(8).waitFor();
    await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
  }
}
