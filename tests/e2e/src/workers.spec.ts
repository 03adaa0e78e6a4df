import { eventually } from '@sluice/testing';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.js';
import { exchange, connectToGateway, rawPost, readAnswers } from './raw-http.js';

const workers = 3;
const perSecond = 40;
const event = JSON.stringify({ userId: 'u', event: 'e' });

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    GATEWAY_WORKERS: String(workers),
    SOURCE_RATE_LIMIT_PER_SECOND: String(perSecond),
  });
});
afterAll(() => gateway.stop());

const listChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const countSockets = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => readLink(`/proc/${pid}/fd/${fd}`).startsWith('socket:')).length;

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // the file has been closed since
  }
}

const callback = async (): Promise<number> => {
  const response = await fetch(`${gateway.url}/api/tracker/general/open?token=none`);
  await response.text();
  return response.status;
};

async function refusedCallbacks(): Promise<number> {
  const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  return Number(/^\w*callbacks_\w+_total\{reason="token"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const readiness = async () => {
  const response = await fetch(`${gateway.managementUrl}/health/ready`);
  return (await response.json()) as { info?: { workers?: { ready: number } } };
};

it('workers share the connections, and health and metrics describe them as one gateway', async () => {
  const pids = listChildren(gateway.pid);
  expect(pids).toHaveLength(workers);
  const before = pids.map(countSockets);
  const sockets: Socket[] = [];
  // Workers accept in turn, but on a busy machine one can be skipped, so a few connections can be spread unevenly.
  await eventually(async () => {
    for (let i = 0; i < 2 * workers; i++) sockets.push(await connectToGateway(gateway.url));
    const newSockets = pids.map((pid, index) => countSockets(pid) - (before[index] ?? 0));
    expect(Math.min(...newSockets)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...newSockets)).toBeLessThan(sockets.length);
  });
  for (const socket of sockets) socket.destroy();

  for (let i = 0; i < 12; i++) expect(await callback()).toBe(400);
  expect(await refusedCallbacks()).toBe(12);
  await eventually(async () => {
    expect((await readiness()).info?.workers?.ready).toBe(workers);
  });
});

it('a rate limits all workers together', async () => {
  const seconds = 3;
  const sockets = await Promise.all(Array.from({ length: 12 }, () => connectToGateway(gateway.url)));
  const until = Date.now() + seconds * 1_000;
  const statuses = await Promise.all(
    sockets.map(async (socket) => {
      const mine: (number | undefined)[] = [];
      while (Date.now() < until) {
        socket.write(rawPost('track', event));
        mine.push((await readAnswers(socket, 1))[0]?.status);
        await sleep(10);
      }
      socket.destroy();
      return mine;
    }),
  );
  const acceptedCount = statuses.flat().filter((status) => status === 200).length;
  // The burst is worth one second, and each worker can accept a burst before it learns of the others.
  expect(acceptedCount).toBeLessThanOrEqual(perSecond * (seconds + workers + 0.5));
  expect(acceptedCount).toBeGreaterThanOrEqual(perSecond * 2);
  expect(statuses.flat()).toContain(429);
});

it('a killed worker is replaced, and its counts are kept', async () => {
  const refusedCount = await refusedCallbacks();
  const before = listChildren(gateway.pid);
  process.kill(before[0] ?? 0, 'SIGKILL');
  await eventually(async () => {
    expect((await readiness()).info?.workers?.ready).toBe(workers);
    expect(listChildren(gateway.pid)).not.toContain(before[0]);
  });
  for (let i = 0; i < 6; i++) expect(await callback()).toBe(400);
  expect(await refusedCallbacks()).toBe(refusedCount + 6);
});

it('a stop ends all workers', async () => {
  const pids = listChildren(gateway.pid);
  const startedAt = Date.now();
  const socket = await connectToGateway(gateway.url);
  expect(await gateway.stop()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(20_000);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  socket.destroy();
  await expect(exchange(rawPost('track', event), { url: gateway.url })).rejects.toThrow('ECONNREFUSED');
});
