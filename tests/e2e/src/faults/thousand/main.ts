import { Logger } from '@nestjs/common';
import { faultClasses } from '../classes/all.js';
import { draw } from './deck.js';
import { Random } from '@sluice/testing';
import { countLost } from './balance.js';
import { formatReport } from './report.js';
import { isGoodWindow, FaultRun, type WindowResult } from './run.js';
import { AlertWatch } from './alert-watch.js';
import { fillBigTable } from './big-table.js';
import { Stage } from './stage.js';

// Runs faults of all classes, drawn by a seed; see docs/decisions/0028-thousand-faults.md.

// Failures are expected during faults, so nothing is logged.
Logger.overrideLogger(false);

const environment = process.env;
const count = Number(environment['FAULTS_COUNT'] ?? 1_000);
const seed = Number(environment['FAULTS_SEED'] ?? 1);
const tableRows = Number(environment['FAULTS_TABLE_ROWS'] ?? 20_000_000);
const readList = (name: string): string[] => (environment[name] ?? '').split(',').filter((entry) => entry !== '');
const [only, without] = [readList('FAULTS_CLASSES'), readList('FAULTS_WITHOUT')];

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
  const chosenClasses = faultClasses.filter(
    ({ name }) => (only.length === 0 || only.includes(name)) && !without.includes(name),
  );
  const able = chosenClasses.filter((faultClass) => {
    const why = faultClass.unable?.(stage);
    if (why !== undefined) console.log(`${faultClass.name} is left out: ${why}`);
    return why === undefined;
  });
  if (!AlertWatch.isAble()) console.log('there is no promtool: no alert is checked');
  await fillBigTable(stage, tableRows);
  const run = new FaultRun(stage, seed);
  console.log(`seed ${seed}, ${count} faults of ${able.length} classes, logs in ${stage.servers.folder}`);
  for (const window of draw(able, count, new Random(seed))) {
    if (interruption.signal.aborted) break;
    const result = await run.window(window);
    if (!isGoodWindow(result)) bad.push(result);
  }
  const whole = await run.whole();
  console.log(`\n${formatReport(run.results, whole)}\n`);
  console.log(`seed ${seed}; sends that Kafka did not acknowledge at once: ${stage.load.repeated}`);
  if (stage.deaths.length > 0) console.log(`services that ended by themselves: ${stage.deaths.join(', ')}`);
  for (const { window } of bad) {
    console.log(`guarantees broken in a window of ${[...new Set(window.classes.map(({ name }) => name))].join(', ')}`);
  }
  const canary = await stage.canary?.balance();
  if (canary) console.log(`canary: ${JSON.stringify(canary)}`);
  const isWhole =
    (canary?.isEqual ?? true) && whole.every((balance) => countLost(balance) === 0 && balance.doubled === 0);
  process.exitCode = bad.length > 0 || !isWhole || interruption.signal.aborted ? 1 : 0;
} finally {
  // Logs show how a guarantee was broken.
  await stage.stop(bad.length > 0);
}
