import { randomUUID } from 'node:crypto';
import { type CreatedSource, type Journey, type LetterDetail, type LetterList } from '@sluice/console-api';
import { ConsolePerson, eventually, launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { local, operator, post, type SourceCredentials, sync } from '../stack.js';
import { deep, hostile, manyKeys } from './hostile-texts.js';
import { aRequestId, sendPastGateway } from './past-the-gateway.js';
import { WatchedPage } from './watched-page.js';

// Texts of clients are only ever text, on every page of the console that shows them.

const timeout = { timeout: 60_000, interval: 250 };
const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
/** A page of usual content has about 1,500 elements. Ten times as many are laid out in a tenth of a second. */
const maxElements = 15_000;
const { markup, turned, odd, unbroken } = hostile;

let browser: Browser;
let watched: WatchedPage;
let page: Page;
let person: ConsolePerson;
let source: SourceCredentials;
/** The source's name has everything hostile that a name may contain: markup and marks of direction. */
const name = `${markup.slice(0, 60)}${turned} ${Date.now()}`;

beforeAll(async () => {
  const id = `hostile-${randomUUID().slice(0, 8)}`;
  const { link } = await operator<{ link: string }>('console', 'invite', id, '--role', 'admin', '--payloads');
  person = await ConsolePerson.enter(local(), link);
  const created = await person.ask<CreatedSource>('POST', '/api/sources', { name, type: 'tracking-api' });
  source = { sourceIdentifier: created.source.sourceIdentifier, apiKey: created.apiKey };
  await eventually(async () => expect((await post('track', {}, { source })).status).toBe(400));
  browser = await launchChromium();
  watched = await WatchedPage.open(browser, local().console.url);
  page = watched.page;
  page.setDefaultTimeout(30_000);
  await page.goto((await person.ask<{ link: string }>('POST', `/api/users/${id}/link`, {})).link);
  await page.getByRole('list', { name: 'Verdicts' }).waitFor();
});
beforeEach(() => page.setViewportSize({ width: 1280, height: 800 }));
afterAll(() => browser.close());

/** Checks in both widths that the page shows the texts as they were sent, and is intact otherwise. */
async function look(texts: readonly string[]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await watched.settle();
    const where = `${page.url()} ${size.width}`;
    for (const text of texts)
      await expect.poll(() => watched.shows(text), { timeout: 20_000, message: where }).toBe(true);
    expect(await watched.cutOff(), where).toEqual([]);
    expect(await watched.turned(), where).toEqual([]);
    expect(await page.locator('*').count(), where).toBeLessThan(maxElements);
  }
  expect(watched.complaints).toEqual([]);
}

async function open(path: string, ...texts: string[]): Promise<void> {
  await watched.goto(path);
  await look(texts);
}

const requestIdOf = ({ headers }: { headers: Headers }): string => headers.get('x-request-id') ?? '';
const user = 'user-1';

/** A message to send past the gateway; its table cannot read the time of the row. */
function aRow(change: object): { key: string; value: string; requestId: string } {
  const origin = { source_id: source.sourceIdentifier, request_id: aRequestId(), message_id: randomUUID() };
  const row = { ...origin, received_at: new Date().toISOString(), timestamp: 'yesterday', user_id: user, ...change };
  return { key: `${source.sourceIdentifier}:${turned}`, value: JSON.stringify(row), requestId: origin.request_id };
}

async function lettersOf(...requestIds: string[]): Promise<LetterDetail[]> {
  const { letters } = await person.ask<LetterList>('GET', '/api/dead-letters?limit=50');
  const own = letters.filter(({ key }) => key?.startsWith(source.sourceIdentifier));
  const all = await Promise.all(
    own.map(({ id }) => person.ask<LetterDetail>('GET', `/api/dead-letters/${encodeURIComponent(id)}`)),
  );
  return requestIds.flatMap((wanted) => all.filter(({ requestId }) => requestId === wanted));
}

/** Resolves when all messages of the request are stored. */
async function stored(requestId: string): Promise<string> {
  const states = async (): Promise<string[]> => {
    const { events } = await person.ask<Journey>('GET', `/api/requests/${requestId}`);
    return [...new Set(events.map(({ state }) => state))];
  };
  await expect.poll(states, timeout).toEqual(['stored']);
  return requestId;
}

it('shows stored rows as text: of an event, of a batch of wide ones, of a product with half a megabyte', async () => {
  const event = { userId: user, event: 'hostile', properties: { markup, turned, odd, unbroken } };
  const sent = await post('track', { ...event, context: { [markup]: 1, [turned]: { deep: turned } } }, { source });
  const wide = { ...event, properties: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, markup])) };
  const batch = await post('trackBatch', { list: Array(100).fill(wide) }, { source });
  const product = await sync(
    'product',
    {
      productId: markup,
      name: markup,
      nameEn: turned,
      brand: turned,
      categoryId: turned,
      totalStock: 1,
      mainImage: 'https://shop.example/m.jpg',
      url: 'https://shop.example/m',
      isAvailable: true,
      description: `${markup} ${turned} `.repeat(2_700),
    },
    { source },
  );
  expect([sent.status, batch.status, product.status]).toEqual([200, 200, 200]);

  await open(`/requests/${await stored(requestIdOf(sent))}`, markup, turned, odd);
  await page.getByRole('button', { name: 'all 4000 characters' }).click();
  await look([unbroken]);
  await open(`/requests/${await stored(requestIdOf(batch))}`, markup);
  await open(`/requests/${await stored(requestIdOf(product))}`);
  expect(await page.locator('.json-raw').textContent()).toContain(JSON.stringify(markup));
  await page.getByText('Cut off: the whole is larger').waitFor();
});

it('shows live rows as text, in the list and in the drawer', async () => {
  await watched.goto(`/live?source=${source.sourceIdentifier}`);
  await page.locator('[data-live="open"]').waitFor();
  const rows = page.getByRole('list', { name: 'Messages, newest first' }).getByRole('button');
  const properties = { markup, turned, odd, unbroken, ...manyKeys(50) };
  await expect
    .poll(async () => {
      await sendPastGateway(local(), [aRow({ event: turned, user_id: markup, properties })]);
      return rows.count();
    }, timeout)
    .toBeGreaterThan(0);
  await look([turned, markup, name]);
  await rows.first().click();
  await page.getByRole('dialog').waitFor();
  await look([turned, markup, odd]);
});

it('shows dead letters as text, and lets one be edited', async () => {
  const properties = { markup, turned, odd, half: '\ud800', unbroken };
  const small = aRow({ event: turned, user_id: markup, properties });
  const large = aRow({ event: markup, properties: { text: markup.repeat(4_000), ...manyKeys(10_000) } });
  const broken = { ...aRow({}), value: `${markup}${deep(5_000)}`, contract: `${markup}${turned}` };
  await sendPastGateway(local(), [small, large, { ...broken, headers: { '<b>': turned } }]);
  const ids = [small, large, broken].map(({ requestId }) => requestId);
  await expect.poll(async () => (await lettersOf(...ids)).length, timeout).toBe(3);
  const letters = await lettersOf(...ids);
  const [first, second, third] = letters.map(({ id }) => `/dead-letters/${encodeURIComponent(id)}`);

  await open('/dead-letters', ...letters.map(({ reason }) => reason), ...letters.map(({ key }) => key ?? ''));
  await open(first ?? '', markup, turned, odd);
  await page.getByRole('button', { name: 'Edit and replay' }).click();
  await page.getByRole('textbox', { name: 'Content of the message, JSON' }).waitFor();
  await look([]);
  await open(second ?? '');
  await page.getByText('Cut off: the whole is larger').waitFor();
  await open(third ?? '', turned, letters[2]?.reason ?? '');
  expect(await page.locator('.json-raw').textContent()).toContain(markup);
  await open(`/requests/${small.requestId}`);
  await page.getByText('Dead letter', { exact: true }).first().waitFor();
});

it('shows refusals as text, and what would become of the same body', async () => {
  const headers = { 'user-agent': markup };
  const list = [{ userId: turned, event: markup, properties: manyKeys(10_000) }, { event: 'x'.repeat(400_000) }];
  const sent = [
    await post('track', { userId: turned, event: markup, properties: { [turned]: odd, markup } }, { source, headers }),
    await post('trackBatch', { list }, { source, headers }),
    await post('track', `{"event":${deep(4_000)}}`, { source, headers }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([400, 400, 400]);
  const samples = async (): Promise<number[]> => {
    const path = (id: string): string => `/api/refused/${id}`;
    return Promise.all(sent.map(async (one) => (await person.send('GET', path(requestIdOf(one)))).status));
  };
  await expect.poll(samples, timeout).toEqual([200, 200, 200]);

  await open(`/refused?source=${source.sourceIdentifier}`, name);
  for (const one of sent) await open(`/refused?id=${requestIdOf(one)}`, markup);
  await open(`/requests/${requestIdOf(sent[0] ?? { headers: new Headers() })}`, `properties.${turned}`);
  await open(`/sources/${source.sourceIdentifier}`, name);
  await watched.goto(`/try?refused=${requestIdOf(sent[0] ?? { headers: new Headers() })}`);
  const editor = page.getByRole('textbox', { name: 'Body, JSON' });
  await expect.poll(() => editor.textContent(), timeout).toContain('svg/onload');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('it would be refused').waitFor();
  await look([`properties.${turned}`]);
});

it('tries a body of half a megabyte with 10,000 names', async () => {
  await watched.goto('/try');
  const body = { userId: user, event: 'e', properties: manyKeys(10_000), context: { text: markup.repeat(3_000) } };
  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(body));
  await page.getByRole('textbox', { name: 'Body, JSON' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
  await page.getByRole('combobox', { name: 'Kind of message' }).selectOption('trackBatch');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('it would be refused').waitFor();
  await page.getByRole('combobox', { name: 'Kind of message' }).selectOption('general');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('it would be refused').waitFor();
  await look([]);
});

it('shows the name of a source as text, wherever it stands', async () => {
  for (const path of ['/', '/sources', '/settings?tab=audit']) await open(path, name);
  await open(`/sources/${source.sourceIdentifier}?tab=keys`, name);
  await page.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('dialog').waitFor();
  await look([name]);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('dialog').waitFor();
  await look([name]);
});

it('the checks detect turned text, text wider than the page, and a breach of the policy', async () => {
  await watched.goto('/sources');
  const add = (...given: [tag: string, textContent: string]) =>
    page.evaluate(([tag, textContent]) => {
      const paragraph = document.createElement('p');
      paragraph.append('plain ', Object.assign(document.createElement(tag), { textContent }), ' plain');
      document.querySelector('main')?.append(paragraph);
    }, given);
  await add('b', '\u202eevil');
  expect(await watched.turned()).toHaveLength(1);
  await add('bdi', '\u2069\u202eevil');
  expect(await watched.turned()).toHaveLength(2);
  await add('b', 'שלום');
  expect(await watched.turned()).toHaveLength(3);
  await add('p', 'x'.repeat(500));
  expect(await watched.cutOff()).not.toEqual([]);
  await page.evaluate(() =>
    document.head.append(Object.assign(document.createElement('style'), { textContent: 'b {}' })),
  );
  await expect.poll(() => watched.complaints.splice(0).join(), timeout).toContain('policy: style-src-elem inline');
});
