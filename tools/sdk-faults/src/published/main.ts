import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { installPublished, launchChromium } from '@sluice/testing';
import { optionsOrExit } from '../run/command.js';
import { meet, type Result } from './compare.js';
import { readCompareOptions, usage } from './options.js';
import { scenarios } from './scenarios.js';
import { sdks, tunedSdks } from './sdks.js';
import { type Bundle, bundleOf, Site } from './site.js';
import { tableOf } from './table.js';

const { seed, only, sdk, together, json, tuned } = optionsOrExit(
  () => readCompareOptions(process.argv.slice(2)),
  usage,
);
const chosenSdks = [...sdks, ...(tuned ? tunedSdks : [])].filter(({ name }) => name.includes(sdk));
const chosen = scenarios.filter(({ name }) => name.includes(only));

await installPublished(fileURLToPath(new URL('../../published/', import.meta.url)));
const site = await Site.start();
const bundles = new Map<string, Bundle>();
for (const one of chosenSdks) {
  const bundle = await bundleOf(one);
  bundles.set(one.name, bundle);
  site.addScript(`${one.page}.js`, bundle.code);
}
// Nothing leaves this machine.
const browser = await launchChromium({ args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] });
try {
  const results: Result[] = [];
  const waiting = [...chosen];
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      const meeting = { scenario, seed };
      const met = await Promise.all(chosenSdks.map((one) => meet(browser, site, { sdk: one, ...meeting })));
      results.push(...met);
      for (const result of met) console.log(JSON.stringify(result));
    }
  };
  await Promise.all(Array.from({ length: together }, work));
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
