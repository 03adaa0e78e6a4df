import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Balancer } from './balancer.js';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.js';
import { local, select } from './stack.js';

const clients = 16;
/** Sixteen clients with this pause leave room for the gateways that start: an overload is answered with 503. */
const pauseMs = 20;
const noticeMs = 500;

let ports: number[];
let gateways: GatewayProcess[];
let balancer: Balancer;
let port: number;
const start = (gatewayPort: number) => startGatewayProcess({ GATEWAY_PORT: String(gatewayPort), GATEWAY_WORKERS: '2' });

beforeAll(async () => {
  ports = [await freePort(), await freePort()];
  gateways = await Promise.all(ports.map(start));
  balancer = new Balancer(ports);
  port = await balancer.start();
});
afterAll(async () => {
  balancer.close();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
});

/** Sends an event. Resolves with the status or the error code. */
function send(agent: Agent, user: string, run: string): Promise<string> {
  const { sourceIdentifier, apiKey } = local().source;
  const body = JSON.stringify({ userId: user, event: 'rolling', properties: { run } });
  return new Promise((resolve) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        agent,
        path: `/api/tracker/sdk/${sourceIdentifier}/track`,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${apiKey}`,
          'content-length': body.length,
        },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
      },
    );
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    sent.end(body);
  });
}

it('clients notice nothing when two gateways are restarted in turn under load', async () => {
  const run = randomUUID();
  const acknowledged: string[] = [];
  const otherAnswers: string[] = [];
  let isOver = false;
  const loads = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; !isOver; i++) {
      const user = `rolling-${client}-${i}`;
      const outcome = await send(agent, user, run);
      (outcome === '200' ? acknowledged : otherAnswers).push(outcome === '200' ? user : outcome);
      await sleep(pauseMs);
    }
    agent.destroy();
  });
  await sleep(1_000);
  for (const [index, gateway] of gateways.entries()) {
    const gatewayPort = ports[index] ?? 0;
    // The balancer learns first, as with the chart. Connections just handed over need time to be accepted.
    balancer.leave(gatewayPort);
    await sleep(noticeMs);
    const startedAt = Date.now();
    expect(await gateway.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    gateways[index] = await start(gatewayPort);
    balancer.returns(gatewayPort);
    await sleep(noticeMs);
  }
  isOver = true;
  await Promise.all(loads);

  console.log(
    `rolling restart: ${acknowledged.length} acknowledged, ${otherAnswers.length} not: ${otherAnswers.join(' ')}`,
  );
  expect(otherAnswers).toEqual([]);
  await eventually(async () => {
    const [row] = await select(
      'SELECT uniqExact(user_id) AS users, count() AS rows FROM events WHERE properties.run = {run:String}',
      { run },
    );
    expect([row?.['users'], row?.['rows']].map(Number)).toEqual([acknowledged.length, acknowledged.length]);
  });
}, 240_000);
