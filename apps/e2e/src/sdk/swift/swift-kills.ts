import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelServer, readBatchFile } from '@sluice/sdk-contract';
import { SwiftDevice } from './swift-device.js';

const source = { apiKey: 'key-of-the-test', sourceIdentifier: 'Source000001' };
/** One in so many answers is cut after the service has stored the batch. */
const cutOneIn = 40;
/** Lives after which the device sends what is left. A lost answer makes it pause, so its queue grows, and would be full. */
const livesPerDrain = 50;

/** Faults of the SDK that a run must notice (sdks/swift/Tests/Device/Mutant.swift). */
export type Mutant = 'drops-half' | 'new-key' | 'forgets-file' | 'writes-late';

export interface Kills {
  readonly lives: number;
  /** Messages whose `track` had returned. */
  readonly told: number;
  readonly stored: number;
  /** Messages whose `track` had returned, and that are not stored. */
  readonly lost: number;
  /** Numbers that are missing in a stream before the last that is stored, told or not. */
  readonly holes: number;
  /** Most messages of a life that are stored though the process was killed before it told of them. One can be. */
  readonly untold: number;
  readonly doubled: number;
  /** Requests whose body was not whole. */
  readonly torn: number;
  /** Messages of files that were damaged when a life had ended, by a reader in another language. */
  readonly damaged: number;
  /** Messages that could not be delivered while every request was answered. */
  readonly left: number;
  /** Ids of devices that messages carry; one unless the values were lost. */
  readonly devices: number;
}

interface Stored {
  readonly properties: { readonly life: string; readonly n: number };
  readonly context: {
    readonly sdk: { readonly device: string; readonly stream: string; readonly seq: number; readonly lost: number };
  };
}

/** What is wrong with a run; nothing if every message is stored once. */
export function complaints(sum: Kills): readonly string[] {
  const limits = { lost: 0, holes: 0, untold: 1, doubled: 0, torn: 0, damaged: 0, left: 0, devices: 1 };
  return Object.entries(limits).flatMap(([name, limit]) => {
    const value = sum[name as keyof typeof limits];
    return value <= limit ? [] : [`${name} ${value}`];
  });
}

/** Missing numbers of each stream below the last stored one. */
function holesOf(stored: readonly Stored[]): number {
  const streams = new Map<string, Set<number>>();
  for (const { context } of stored) {
    const { stream, seq } = context.sdk;
    streams.set(stream, (streams.get(stream) ?? new Set()).add(seq));
  }
  return [...streams.values()].reduce((sum, numbers) => sum + Math.max(...numbers) + 1 - numbers.size, 0);
}

function untoldOf(told: ReadonlySet<string>, stored: Iterable<string>): number {
  const lives = new Map<string, number>();
  for (const id of stored) {
    const life = id.split(' ')[0] ?? '';
    if (!told.has(id)) lives.set(life, (lives.get(life) ?? 0) + 1);
  }
  return Math.max(0, ...lives.values());
}

/** A service that stores like Sluice, and loses some answers. */
async function service() {
  const model = new ModelServer();
  const sum = { torn: 0, isCalm: false };
  let count = 0;
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => {
        const headers = { 'Idempotency-Key': String(request.headers['idempotency-key']) };
        model.take({ method: 'POST', url: request.url ?? '', headers, body, keepalive: false });
        if (!sum.isCalm && ++count % cutOneIn === 0) request.socket.destroy();
        else response.setHeader('content-type', 'application/json').end('{"status":"QUEUED"}');
      })
      .catch((error: unknown) => {
        // A killed client's own request ends early; a whole one with a body that is not JSON is torn.
        if (error instanceof SyntaxError) sum.torn++;
        request.socket.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sum,
    stored: () => model.stored as unknown as Stored[],
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** Runs a device that ends by itself or, with a number of milliseconds, is killed after them. @throws if it reports a failure */
async function lived(device: SwiftDevice, isMutant: boolean, killedAfter?: number): Promise<readonly string[]> {
  if (killedAfter !== undefined) {
    await device.begun();
    await sleep(killedAfter);
    await device.kill();
  }
  const lines = await device.all();
  if (isMutant) return lines;
  const failure = lines.find((line) => line.startsWith('report') || line.startsWith('stderr'));
  if (failure !== undefined) throw new Error(failure);
  return lines;
}

/** Messages in the files of a queue that are damaged. A torn end is none: its write was never acknowledged. */
async function damagedIn(folder: string): Promise<number> {
  const queue = join(folder, 'queue');
  const names = (await readdir(queue)).filter((name) => name.endsWith('.batch'));
  let damaged = 0;
  for (const name of names) {
    const file = readBatchFile(await readFile(join(queue, name)));
    damaged += file.is === 'foreign' || file.is === 'newer' ? 1 : (file.lost ?? 0);
  }
  return damaged;
}

/** Kills a device again and again at random moments, lets it deliver now and then and at the end, and counts. */
export async function swiftKills(
  folder: string,
  lives: number,
  { mutant, progress }: { mutant?: Mutant; progress?: (life: number) => void } = {},
): Promise<Kills> {
  const more = mutant === undefined ? [] : [mutant];
  const isMutant = mutant !== undefined;
  const { url, sum, stored, stop } = await service();
  const told = new Set<string>();
  let damaged = 0;
  let left = 0;
  try {
    for (let life = 1; life <= lives; life++) {
      const device = new SwiftDevice('live', folder, url, source, String(life), ...more);
      for (const line of await lived(device, isMutant, Math.random() * 40)) {
        if (line.startsWith('took ')) told.add(line.slice('took '.length));
      }
      if (life % livesPerDrain === 0 || life === lives) {
        damaged += await damagedIn(folder);
        sum.isCalm = true;
        const drained = await lived(new SwiftDevice('drain', folder, url, source, '', ...more), isMutant);
        left += Number(drained.find((line) => line.startsWith('left'))?.split(' ')[1] ?? Number.NaN);
        sum.isCalm = false;
      }
      progress?.(life);
    }
    const counts = new Map<string, number>();
    for (const { properties } of stored()) {
      const id = `${properties.life} ${properties.n}`;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return {
      lives,
      told: told.size,
      stored: counts.size,
      holes: holesOf(stored()),
      untold: untoldOf(told, counts.keys()),
      lost: [...told].filter((id) => !counts.has(id)).length,
      doubled: [...counts.values()].filter((count) => count > 1).length,
      torn: sum.torn,
      damaged,
      left,
      devices: new Set(stored().map(({ context }) => context.sdk.device)).size,
    };
  } finally {
    await stop();
  }
}
