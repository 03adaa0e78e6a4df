import { Logger } from '@nestjs/common';
import { faultClasses } from '../classes/all.js';
import { draw } from './deck.js';
import { Random } from '@sluice/testing';
import { lostOf } from './balance.js';
import { tableOf } from './report.js';
import { isGood, Run, type WindowResult } from './run.js';
import { AlertWatch } from './alert-watch.js';
import { fillEvents } from './big-table.js';
import { Stage } from './stage.js';

// Runs faults of all classes, drawn by a seed; see docs/decisions/0028-thousand-faults.md.

// Failures are expected during faults, so nothing is logged.
Logger.overrideLogger(false);

const environment = process.env;
const count = Number(environment['FAULTS_COUNT'] ?? 1_000);
const seed = Number(environment['FAULTS_SEED'] ?? 1);
const tableRows = Number(environment['FAULTS_TABLE_ROWS'] ?? 20_000_000);
const listOf = (name: string): string[] => (environment[name] ?? '').split(',').filter((one) => one !== '');
const [only, without] = [listOf('FAULTS_CLASSES'), listOf('FAULTS_WITHOUT')];

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first signal ends the run after the current window, the second exits at once.
    if (interruption.signal.aborted) process.exit(1);
    interruption.abort();
  });
}
const stage = await Stage.start();
const bad: WindowResult[] = [];

try {
  const asked = faultClasses.filter(
    ({ name }) => (only.length === 0 || only.includes(name)) && !without.includes(name),
  );
  const able = asked.filter((one) => {
    const why = one.unable?.(stage);
    if (why !== undefined) console.log(`${one.name} is left out: ${why}`);
    return why === undefined;
  });
  if (!AlertWatch.isAble()) console.log('there is no promtool: no alert is checked');
  await fillEvents(stage, tableRows);
  const run = new Run(stage, seed);
  console.log(`seed ${seed}, ${count} faults of ${able.length} classes, logs in ${stage.servers.folder}`);
  for (const window of draw(able, count, new Random(seed))) {
    if (interruption.signal.aborted) break;
    const result = await run.window(window);
    if (!isGood(result)) bad.push(result);
  }
  const whole = await run.whole();
  console.log(`\n${tableOf(run.results, whole)}\n`);
  console.log(`seed ${seed}; sends that Kafka did not acknowledge at once: ${stage.load.repeated}`);
  if (stage.deaths.length > 0) console.log(`services that ended by themselves: ${stage.deaths.join(', ')}`);
  for (const { window } of bad) {
    console.log(`guarantees broken in a window of ${[...new Set(window.classes.map(({ name }) => name))].join(', ')}`);
  }
  const isWhole = whole.every((one) => lostOf(one) === 0 && one.doubled === 0);
  process.exitCode = bad.length > 0 || !isWhole || interruption.signal.aborted ? 1 : 0;
} finally {
  // Logs show how a guarantee was broken.
  await stage.stop(bad.length > 0);
}
