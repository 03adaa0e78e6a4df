import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { meet, type Result } from './compare.js';
import { installPublished } from './install.js';
import { scenarios } from './scenarios.js';
import { sdks, tunedSdks } from './sdks.js';
import { type Bundle, bundleOf, Site } from './site.js';
import { tableOf } from './table.js';

const text = { type: 'string' } as const;
const { seed, only, sdk, together, json, tuned } = parseArgs({
  options: {
    seed: { ...text, default: '1' },
    only: { ...text, default: '' },
    sdk: { ...text, default: '' },
    together: { ...text, default: '2' },
    json: text,
    tuned: { type: 'boolean' },
  },
}).values;
const chosenSdks = [...sdks, ...(tuned ? tunedSdks : [])].filter(({ name }) => name.includes(sdk));
const chosen = scenarios.filter(({ name }) => name.includes(only));

await installPublished();
const site = await Site.start();
const bundles = new Map<string, Bundle>();
for (const one of chosenSdks) {
  const bundle = await bundleOf(one);
  bundles.set(one.name, bundle);
  site.addScript(`${one.page}.js`, bundle.code);
}
const browser = await chromium.launch({
  executablePath: await sparticuz.executablePath(),
  // Nothing leaves this machine.
  args: [
    '--disable-background-networking',
    '--disable-gpu',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ],
  chromiumSandbox: false,
});
try {
  const results: Result[] = [];
  const waiting = [...chosen];
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      const meeting = { scenario, seed: Number(seed) };
      const met = await Promise.all(chosenSdks.map((one) => meet(browser, site, { sdk: one, ...meeting })));
      results.push(...met);
      for (const result of met) console.log(JSON.stringify(result));
    }
  };
  await Promise.all(Array.from({ length: Number(together) }, work));
  const order = chosen.map(({ name }) => name);
  results.sort((one, other) => order.indexOf(one.scenario) - order.indexOf(other.scenario));
  console.log(`\n${tableOf(results, bundles)}`);
  if (json !== undefined) await writeFile(json, JSON.stringify({ seed, results }, undefined, 2));
  // Without events nothing was measured.
  if (results.some(({ tracked, problems }) => tracked === 0 || problems.length > 0)) process.exitCode = 1;
} finally {
  await browser.close();
  site.stop();
}
