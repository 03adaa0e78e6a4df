import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { sentObjects, source, storeEverything, viewsWithRange } from './every-view.spec-support.js';

// Views read the ranges that people write, and name what is none.

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `ranges_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await storeEverything(client, 3, sentObjects(3, 60));
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

/** A wider range whose ends do not change, as nothing is stored there. */
const early = "'2026-02-01'";
const late = "'2026-06-01'";
/** A time within the data, in the text of which every part counts. */
const moment = '2026-03-02 02:30:15.250';

async function select(view: string, parameters: string, from: string, to: string, settings = {}): Promise<string> {
  const query = `SELECT * FROM ${view}(source = '${source}', from = ${from}, to = ${to}${parameters}) ORDER BY ALL`;
  const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: settings });
  return result.text();
}

/** Ways to write one moment. */
const sameMoment = [
  `'${moment}'`,
  "'2026-03-02T02:30:15.250Z'",
  "'2026-03-02T02:30:15.25'",
  "'2026-03-02 02:30:15.250000+00:00'",
  "'2026-03-02T06:00:15.250+03:30'",
  "'2026-03-02T06:00:15.250 +0330'",
  "'2026-03-01T21:30:15.250-05:00'",
  "'1772418615.25'",
  '1772418615.25',
  '1772418615250',
  "toDateTime64('2026-03-02 02:30:15.25', 9, 'UTC')",
  "toDateTime64('2026-03-02 02:30:15.25', 3, 'UTC') - INTERVAL 0 DAY",
];
const sameDay = [
  ...["'2026-03-02'", "'2026-3-2'", "'2026-03-02T00:00Z'", "'2026-03-02 00:00'", "'2026-03-02T00:00:00Z'"],
  ...["'2026-03-02T03:30:00+03:30'", "toDate('2026-03-02')", "toDate32('2026-03-02')", '1772409600', "'1772409600'"],
  ...["toDateTime('2026-03-02 00:00:00', 'UTC')", "toStartOfDay(toDateTime('2026-03-02 10:00:00', 'UTC'))"],
];
/** Texts and numbers that name no time, or might name two. */
const noTimes = [
  ...["''", 'NULL', "'20260301'", '20260301', "'01/03/2026'", "'2026-03'", "'2026'", "'2026-02-30'", "'2025-02-29'"],
  ...["'2026-13-01'", "'2026-00-01'", "'2026-04-31'", "'2026-03-01T24:00:00'", "'2026-03-01T10:60:00'"],
  ...["'1404-12-10'", "'1899-12-31'", "'2300-01-01'", "'2026-03-01T00:00:00+25:00'", "'2026-03-01T00:00:00Z '"],
  ...[
    "'today'",
    "'now()'",
    "'2026-03-01T00:00:00+03'",
    "'۲۰۲۶-۰۳-۰۱'",
    '0',
    '-1',
    "'177240960000'",
    "'20260301000000'",
  ],
];

describe.each(viewsWithRange)('%s', (view, parameters) => {
  it('reads every way of writing a moment as that moment', async () => {
    const [since, until] = await Promise.all([
      select(view, parameters, `'${moment}'`, late),
      select(view, parameters, early, `'${moment}'`),
    ]);
    const wholeAnswer = await select(view, parameters, early, late);
    expect(new Set([since, until, wholeAnswer]).size).toBe(3);
    for (const text of sameMoment)
      expect([text, await select(view, parameters, text, late), await select(view, parameters, early, text)]).toEqual([
        ...[text, since, until],
      ]);
    const day = await select(view, parameters, "'2026-03-02 00:00:00.000'", late);
    for (const text of sameDay) expect([text, await select(view, parameters, text, late)]).toEqual([text, day]);
  });

  it('takes texts as parameters of the request, and reads them as UTC in every session', async () => {
    const query = `SELECT * FROM ${view}(source = {source:String}, from = {from:String}, to = {to:DateTime64(3)}${parameters}) ORDER BY ALL`;
    const query_params = { source, from: moment, to: '2026-06-01 00:00:00' };
    const clickhouse_settings = { session_timezone: 'Asia/Tehran' };
    const result = await client.query({ query, query_params, clickhouse_settings, format: 'JSONEachRow' });
    expect(await result.text()).toBe(await select(view, parameters, `'${moment}'`, late));
  });

  it('takes a range that begins before all times, and one that ends after them', async () => {
    const wholeAnswer = await select(view, parameters, early, late);
    if (view === 'retention') return; // Its first day is that of the range.
    expect(await select(view, parameters, "'1900-01-01'", "'2299-12-31'")).toBe(wholeAnswer);
    expect(await select(view, parameters, "'1970-01-01T00:00:00+14:00'", "'2149-06-06T23:59:59-14:00'")).toBe(
      wholeAnswer,
    );
    expect(await select(view, parameters, 'today() - 3650', 'now() + INTERVAL 3650 DAY')).toBe(wholeAnswer);
  });

  it('has an error with a sentence for each text that names no time', async () => {
    const sentence = 'must be a time such as 2026-03-01 or 2026-03-01T00:00:00Z';
    const expectError = async (text: string): Promise<void> => {
      await expect(select(view, parameters, text, late), text).rejects.toThrow(`from ${sentence}, and is "`);
      await expect(select(view, parameters, early, text), text).rejects.toThrow(
        `to ${sentence}, not before from, and is "`,
      );
    };
    await Promise.all(noTimes.map(expectError));
  });

  it('has an error for a range that ends before it begins, and none for an empty one', async () => {
    await expect(select(view, parameters, late, early)).rejects.toThrow('not before from');
    expect(await select(view, parameters, early, early)).toBe('');
  });

  it('reads no more than the parts and granules of the range', async () => {
    const query = `EXPLAIN indexes = 1 SELECT * FROM ${view}(source = '${source}', from = '2040-03-01T00:00:00Z', to = '2040-03-02'${parameters})`;
    const plan = await (await client.query({ query, format: 'TabSeparatedRaw' })).text();
    expect(plan).toMatch(/Granules: 0\/[1-9]/);
  });
});
