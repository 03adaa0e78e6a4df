import { eventually } from '@sluice/testing';
import { FaultProxy, faults } from '@sluice/sdk-faults';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { local, select } from '../stack.js';
import { beginClient, readErrors, expectOnce, openPage, removeJitter, trackInPage } from './client-page.js';
import { visitor } from './visitor.js';

const day = 86_400;
const hourMs = 3_600_000;

const visit = visitor();
let proxy: FaultProxy;
/** Number of requests with events that the proxy has seen. */
let tries: number;

beforeEach(async () => {
  tries = 0;
  proxy = await FaultProxy.start(local().gateway.url);
});
afterEach(async () => {
  await proxy.stop();
});

const meet = (fault: ReturnType<FaultProxy['choose']>): void => {
  proxy.choose = () => {
    tries++;
    return fault;
  };
};

/** Page function: `Date` is wrong by as many seconds as sessionStorage says; timers and `performance.now` are real. */
function replaceDate(): void {
  const RealDate = Date;
  const now = (): number => RealDate.now() + 1_000 * Number(sessionStorage.getItem('wrong') ?? 0);
  globalThis.Date = new Proxy(RealDate, {
    construct: (_, args) => (args.length === 0 ? new RealDate(now()) : (Reflect.construct(RealDate, args) as Date)),
    get: (_, name) => (name === 'now' ? now : (Reflect.get(RealDate, name) as unknown)),
  });
}
const setClock = (seconds: number): void => sessionStorage.setItem('wrong', String(seconds));

it.each([
  ['ahead', day],
  ['behind', -day],
])('a clock that is a day %s: events are stored once, with the time of that clock', async (name, seconds) => {
  await visit.context.addInitScript(removeJitter);
  await visit.context.addInitScript(replaceDate);
  await visit.context.addInitScript(setClock, seconds);
  const events = [1, 2].map((number) => `web_clock_${name}_${number}`);
  const last = `web_clock_${name}_3`;
  meet(faults.cutAfter);
  const page = await openPage(visit.context, visit.site.url, proxy.url);
  for (const event of events) expect(await trackInPage(page, event)).toBe(true);
  await eventually(() => expect(tries).toBeGreaterThan(0));
  meet(faults.none);
  // The batch that was stored but not answered is repeated before the last event, and adds no row.
  await eventually(async () => {
    expect(await page.evaluate(() => sluice.flush())).toMatchObject({ left: 0 });
  });
  expect(await trackInPage(page, last)).toBe(true);
  await expectOnce(`web_clock_${name}_`, [...events, last]);
  const [row] = await select(
    `SELECT abs(dateDiff('second', received_at, timestamp) - {seconds:Int32}) < 60 AS is_right FROM events
      WHERE event = {event:String}`,
    { event: events[0], seconds },
  );
  expect(row).toEqual({ is_right: 1 });
  expect(await readErrors(page)).toEqual([]);
});

it.each([
  ['forward', day],
  ['back', -day],
])('a clock that is set a day %s while events wait neither delays nor loses any', async (name, seconds) => {
  await visit.context.addInitScript(removeJitter);
  await visit.context.addInitScript(replaceDate);
  meet(faults.unavailable(2));
  const page = await openPage(visit.context, visit.site.url, proxy.url);
  await trackInPage(page, `web_set_${name}_1`);
  await eventually(() => expect(tries).toBeGreaterThan(0));
  await page.evaluate(setClock, seconds);
  await trackInPage(page, `web_set_${name}_2`);
  await page.reload();
  await beginClient(page, proxy.url);
  await trackInPage(page, `web_set_${name}_3`);
  meet(faults.none);
  await expectOnce(
    `web_set_${name}_`,
    [1, 2, 3].map((number) => `web_set_${name}_${number}`),
  );
  expect(await readErrors(page)).toEqual([]);
});

// The page's Date, performance.now and timers are Playwright's clock, which leaps an hour at a time. Requests and answers
// are real.
it('events outlast more than a day of 503, also over reloads, and are stored once, with their own times', async () => {
  const hours = 24;
  const names = Array.from({ length: hours }, (_, hour) => `web_day_${hour}`);
  await visit.context.clock.install();
  meet(faults.unavailable(120));
  const page = await openPage(visit.context, visit.site.url, proxy.url);
  let leaps = 0;
  let leapsBeforeLast = 0;
  for (const [hour, name] of names.entries()) {
    leapsBeforeLast = leaps;
    expect(await trackInPage(page, name)).toBe(true);
    const before = tries;
    // A request that is on its way when the clock leaps is given up and tried again after the next leap.
    await eventually(async () => {
      leaps++;
      await page.clock.fastForward(hourMs);
      await vi.waitFor(() => expect(tries).toBeGreaterThan(before), 3_000);
    });
    if (hour % 8 !== 7) continue;
    await page.reload();
    await beginClient(page, proxy.url);
  }
  expect(await select("SELECT event FROM events WHERE startsWith(event, 'web_day_')")).toEqual([]);
  meet(faults.none);
  await page.clock.fastForward(hourMs);
  await expectOnce('web_day_', names);
  const [row] = await select(
    "SELECT dateDiff('minute', min(timestamp), max(timestamp)) AS minutes FROM events WHERE startsWith(event, 'web_day_')",
  );
  expect(Number(row?.['minutes']) / 60).toBeCloseTo(leapsBeforeLast, 0);
  expect(await readErrors(page)).toEqual([]);
});
