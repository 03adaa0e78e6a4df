import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installPublished } from '@sluice/testing';
import { startBenchGateway } from '../apps.js';
import { type Options } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport, type Figure } from '../report.js';
import { type Servers } from '../servers.js';
import { createSender } from '../source.js';
import { median } from '../statistics.js';
import { type NodeLoad, type NodeLoadResult } from './node-load.js';
import { sdks } from './sdks.js';
import { openStub, type Stub } from './stub.js';
import { translator } from './translator.js';

const program = fileURLToPath(new URL('load-process.js', import.meta.url));
const publishedFolder = fileURLToPath(new URL('../../published/', import.meta.url));

/**
 * Measures what an event costs a server with our Node SDK and with published ones. These cannot speak to our gateway,
 * so all meet a stub that answers 200, and then one that passes their batches on to the gateway in the form of ours.
 */
export async function measureSdkNode(servers: Servers, { load, profiles }: Options): Promise<BenchReport> {
  await installPublished(publishedFolder);
  const sender = await createSender(servers);
  const gateway = await startBenchGateway(servers, profiles);
  const places: readonly (readonly [place: string, stub: Stub])[] = [
    ['stub', await openStub()],
    ['gateway', await openStub(translator(gateway.url, sender))],
  ];
  const credentials = {
    apiKey: sender.headers['authorization']?.replace('Bearer ', '') ?? '',
    sourceIdentifier: sender.sourceIdentifier,
  };
  const failures: string[] = [];
  const results = new Map<string, NodeLoadResult[]>();
  try {
    // In turn, so that a busy moment of the machine meets all of them.
    for (let round = 0; round < load.rounds; round++) {
      for (const sdk of Object.keys(sdks)) {
        for (const [place, stub] of places) {
          progress(`${sdk}, ${place}, round ${round + 1}`);
          const name = `${sdk}, ${place}`;
          const target = { ...credentials, url: stub.url, folder: join(servers.folder, `${name} ${round}`) };
          const before = stub.taken();
          const result = await runProcess({ sdk, target, events: load.tracked });
          results.set(name, [...(results.get(name) ?? []), result]);
          const arrived = stub.taken() - before;
          if (arrived !== load.tracked) failures.push(...failuresOf(name, arrived, load.tracked));
        }
      }
    }
  } finally {
    for (const [, stub] of places) stub.close();
  }
  return { figures: [...results].flatMap(([name, all]) => figuresOf(name, all, load.tracked)), failures };
}

/** Only our SDK must deliver every event; drops of others are only shown. */
function failuresOf(sdk: string, arrived: number, tracked: number): string[] {
  const text = `${sdk}: ${arrived} of ${tracked} events arrived`;
  if (sdk.startsWith('sluice')) return [text];
  progress(text);
  return [];
}

async function runProcess(order: NodeLoad): Promise<NodeLoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(order)]);
  return JSON.parse(stdout) as NodeLoadResult;
}

function figuresOf(group: string, results: readonly NodeLoadResult[], events: number): Figure[] {
  const of = (measure: string, unit: string, value: (one: NodeLoadResult) => number): Figure => ({
    group,
    measure,
    unit,
    sluice: median(results.map(value)),
  });
  return [
    of('sent', 'events/s', ({ seconds }) => events / seconds),
    of('CPU of the process', 'µs/event', ({ cpuUs }) => cpuUs),
    of('peak memory of the process', 'MiB', ({ peakMb }) => peakMb),
  ];
}
