import { cpus, totalmem } from 'node:os';
import { Logger } from '@nestjs/common';
import { measureConsole } from './console/measure.js';
import { measureErasure } from './erasure/measure.js';
import { measureFreshness } from './freshness.js';
import { measureImports } from './imports/measure.js';
import { type BenchOptions, type PartName, readBenchOptions, usage } from './options.js';
import { measurePlans } from './plans/measure.js';
import { progress } from './progress.js';
import { measureQueries } from './queries.js';
import { measureRepeats } from './repeats.js';
import { type BenchReport, joinReports } from './report.js';
import { measureRequests } from './requests.js';
import { measureRows } from './rows.js';
import { measureSdk } from './sdk.js';
import { measureSuppressed } from './suppressed/measure.js';
import { type BenchServers, withServers } from './servers.js';
import { measureShards } from './shards.js';
import { formatTable } from './table.js';

/** Each part gets its own empty servers, whatever ran before. */
const onServers =
  (measure: (servers: BenchServers, options: BenchOptions) => Promise<BenchReport>) =>
  (options: BenchOptions): Promise<BenchReport> =>
    withServers((servers) => measure(servers, options));

const parts: Record<PartName, (options: BenchOptions) => Promise<BenchReport>> = {
  requests: onServers(measureRequests),
  rows: onServers(measureRows),
  repeats: onServers(measureRepeats),
  freshness: onServers(measureFreshness),
  queries: onServers(measureQueries),
  sdk: measureSdk,
  console: measureConsole,
  shards: onServers(measureShards),
  plans: onServers(measurePlans),
  suppressed: onServers(measureSuppressed),
  erasure: onServers(measureErasure),
  imports: onServers(measureImports),
};

// Our libraries log through Nest. Nest writes everything below an error to stdout, which must hold only the result.
Logger.overrideLogger(['error', 'fatal']);
// The `exit` event stops servers and removes files (see withServers).
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    console.error(`\nFAILED  ended by ${signal}`);
    process.exit(1);
  });
}

process.exit(
  await run().catch((error: unknown) => {
    console.error(`\nFAILED  ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }),
);

async function run(): Promise<number> {
  const options = readOptionsOrExit();
  const reports: BenchReport[] = [];
  for (const part of options.parts) reports.push(await parts[part](options));
  progress('done');

  const { figures, failures } = joinReports(reports);
  if (options.json) console.log(JSON.stringify({ machine: machine(), figures, failures }));
  else console.log(`\n${formatTable(figures)}\n\n${machineLine()}`);
  for (const failure of failures) console.error(`\nFAILED  ${failure}`);
  return failures.length > 0 ? 1 : 0;
}

function readOptionsOrExit(): BenchOptions {
  try {
    return readBenchOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function machine() {
  const cores = cpus();
  const { platform, arch, version } = process;
  return {
    cores: cores.length,
    cpu: cores[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: `${platform} ${arch}`,
    node: version,
  };
}

function machineLine(): string {
  const { cores, cpu, memoryGb, platform, node } = machine();
  return `${cores} cores (${cpu.trim()}), ${memoryGb} GB, ${platform}, Node ${node}; Kafka, ClickHouse and the load share them`;
}
