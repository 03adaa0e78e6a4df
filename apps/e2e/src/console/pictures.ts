import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CreatedSource, type LetterList, type RefusedList } from '@sluice/console-api';
import { type Local, launchChromium, LocalStack, sendTo } from '@sluice/testing';
import { type Page } from 'playwright-core';
import { sendPastGateway } from './past-the-gateway.js';

// `npm run console:pictures [-- overview live…]`: pictures of pages of a real stack with the load of `npm run demo`, for
// people. E2E_DATA_DIR names the folder of a stack that runs already.

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = join(root, '.data/console-pictures/real');
const loadMs = Number(process.env['LOAD_SECONDS'] ?? 120) * 1_000;
/** Refusals and letters are seen after this time. */
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
  const wanted = process.argv.slice(2);
  for (const [name, path] of Object.entries(paths))
    if (wanted.length === 0 || wanted.includes(name)) await take(page, name, path);
  console.log(folder);
} finally {
  demo.kill('SIGINT');
  await browser.close();
  await stack.stop();
}

function startDemo(dataDir: string): ChildProcess {
  const env = { ...process.env, SLUICE_DATA_DIR: dataDir };
  const args = [join(root, 'tools/demo/dist/main.js'), '--rate', '20', '--users', '120'];
  return spawn(process.execPath, args, { env, stdio: 'ignore' });
}

/** Makes a source that nothing was sent of, refusals of two reasons and a dead letter. @returns addresses of the pages */
async function prepare(page: Page, local: Local): Promise<Record<string, string>> {
  const ask = async <T>(method: 'GET' | 'POST', path: string, data?: object): Promise<T> => {
    const headers = { origin: local.console.url };
    const answer = await page.request.fetch(path, { method, headers, ...(data && { data }) });
    return (await answer.json()) as T;
  };
  const created = await ask<CreatedSource>('POST', '/api/sources', { name: 'Shop on the corner', type: 'web-sdk' });
  const bodies = [
    { event: 'order_completed' },
    { userId: '', event: 'cart_filled' },
    { userId: 'u-7', event: 'no good' },
  ];
  for (const body of bodies) await sendTo(local, body);
  const requestId = await sendTo(local, { userId: 'user-7', event: 'order_completed', properties: { total: 49.9 } });
  await sendUnreadable(local);
  await sleep(settleMs);
  const { samples } = await ask<RefusedList>('GET', '/api/refused');
  const { letters } = await ask<LetterList>('GET', '/api/dead-letters');
  return {
    ...{ overview: '/?range=15m', live: '/live', request: `/requests/${requestId}`, refused: '/refused?range=15m' },
    ...{ 'refused-sample': `/refused?range=15m&id=${samples[0]?.requestId ?? ''}`, try: '/try', sources: '/sources' },
    source: `/sources/${local.source.sourceIdentifier}?range=15m`,
    'source-setup': `/sources/${created.source.sourceIdentifier}?tab=setup`,
    ...{ pipeline: '/pipeline', ledger: '/pipeline/ledger?topic=tracking.track.v1', 'dead-letters': '/dead-letters' },
    'dead-letter': `/dead-letters/${encodeURIComponent(letters[0]?.id ?? '')}`,
    ...{ users: '/settings?tab=users', audit: '/settings?tab=audit' },
  };
}

/** A row that its table cannot read, past the gateway. */
async function sendUnreadable(local: Local): Promise<void> {
  const { sourceIdentifier: key } = local.source;
  const row = {
    ...{ message_id: randomUUID(), request_id: randomUUID(), source_id: key, user_id: 'user-7' },
    ...{ event: 'order_completed', properties: { total: 49.9, currency: 'EUR' }, timestamp: 'yesterday' },
    received_at: new Date().toISOString(),
  };
  await sendPastGateway(local, [{ key, value: JSON.stringify(row) }]);
}

async function take(page: Page, name: string, path: string): Promise<void> {
  for (const { name: look, colorScheme, size } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    for (const awaited of ['[aria-label="Loading"]', '.chart-place:empty', '.editor-place:empty'])
      await page.locator(awaited).first().waitFor({ state: 'detached' });
    if (name === 'live') await page.locator('.live-list li').nth(8).waitFor();
    await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
  }
}
