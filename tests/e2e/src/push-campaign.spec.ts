import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePorts } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.js';
import { aNotification } from './notification.js';
import { local, post, select } from './stack.js';

/** Number of interactions; `PUSH_INTERACTIONS=10000 vitest run --project e2e push-campaign` takes a few minutes. */
const interactionCount = Number(process.env['PUSH_INTERACTIONS'] ?? 300);
const timeout = 240_000 + interactionCount * 60;
const dayMs = 86_400_000;
const run = randomUUID().slice(0, 8);

const kinds = ['delivered', 'clicked', 'closed', 'failed', 'opened'] as const;
type Kind = (typeof kinds)[number];
const paths: Record<Kind, string> = {
  delivered: 'delivered',
  clicked: 'click',
  closed: 'close',
  failed: 'failed',
  opened: 'open',
};

/** One report of an interaction: an event has a `day`, a callback means now. */
interface Report {
  kind: Kind;
  token: string;
  day: string | undefined;
}

const today = new Date().toISOString().slice(0, 10);
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
const random = (below: number): number => Math.floor(Math.random() * below);

/** A gateway that only this test uses, since it is killed. It keeps its address and its files. */
let gateway: GatewayProcess;
let folder: string;
let settings: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-campaign-'));
  const [port, managementPort] = await freePorts(2);
  settings = {
    GATEWAY_PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
    GATEWAY_DATA_DIR: join(folder, 'gateway'),
    PUSH_TOKEN_KEYS: local().pushTokenKeys,
  };
  gateway = await startGatewayProcess(settings);
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

async function killGateway(): Promise<void> {
  await gateway.stop('SIGKILL');
  gateway = await startGatewayProcess(settings);
}

/** Sends until it is acknowledged, like the SDKs: at least once. */
async function deliver(send: () => Promise<number>): Promise<void> {
  for (;;) {
    const status = await send().catch(() => 503);
    if (status === 200) return;
    expect(status).toBe(503);
    await sleep(100);
  }
}

const sendCallback = ({ kind, token }: Report): Promise<number> =>
  fetch(`${gateway.url}/api/tracker/general/${paths[kind]}?token=${token}`).then(async (response) => {
    await response.text();
    return response.status;
  });

const sendEvents = async (reports: readonly Report[]): Promise<number> => {
  const list = reports.map(({ kind, token, day }) => ({
    userId: 'u',
    event: `bb_notification_${kind}`,
    properties: { id: token },
    timestamp: `${String(day)}T12:00:00Z`,
  }));
  const { status } = await post('trackBatch', { list }, { gateway: gateway.url });
  return status;
};

/** Reports in random order, and the true count of interactions for each campaign, variation, day and kind. */
async function someReports(): Promise<{ reports: Report[]; truth: Record<string, number> }> {
  const reports: Report[] = [];
  const truth: Record<string, number> = {};
  for (let i = 0; i < interactionCount; i += kinds.length) {
    const [campaign, variation] = [`${run}-${random(5)}`, 'ab'.charAt(random(2))];
    const { token } = await aNotification({ campaign, variation, issuedAt: Date.now() - 10 * dayMs });
    for (const kind of kinds.slice(0, interactionCount - i)) {
      const days = Array.from({ length: 1 + random(5) }, () => (random(2) === 0 ? undefined : daysAgo(1 + random(4))));
      reports.push(...days.map((day) => ({ kind, token, day })));
      const cell = `${campaign} ${variation} ${days.map((day) => day ?? today).sort()[0] ?? ''} ${kind}`;
      truth[cell] = (truth[cell] ?? 0) + 1;
    }
  }
  const order = reports.map((report) => [Math.random(), report] as const).sort(([a], [b]) => a - b);
  return { reports: order.map(([, report]) => report), truth };
}

async function readCounts(): Promise<Record<string, number>> {
  // A callback after midnight counts as today's.
  const day = `if(day >= {today:String}::Date, {today:String}, toString(day))`;
  const columns = `concat(campaign_id, ' ', variation_id, ' ', ${day}) AS cell, ${kinds.map((kind) => `sum(${kind}) AS ${kind}`).join()}`;
  const where = 'WHERE source_id = {source:String} AND startsWith(campaign_id, {run:String})';
  const rows = await select(`SELECT ${columns} FROM push_campaign_stats ${where} GROUP BY cell`, {
    today,
    run,
    source: local().source.sourceIdentifier,
  });
  const cells = rows.flatMap((row) =>
    kinds.map((kind) => [`${String(row['cell'])} ${kind}`, Number(row[kind])] as const),
  );
  return Object.fromEntries(cells.filter(([, count]) => count > 0));
}

it(
  `${interactionCount} interactions, each reported 1 to 5 times while services are killed, are counted once`,
  { timeout },
  async () => {
    const { reports, truth } = await someReports();
    const sends: (() => Promise<number>)[] = [];
    const events: Report[] = [];
    for (const report of reports) {
      if (report.day === undefined) sends.push(() => sendCallback(report));
      else if (events.push(report) === 20) {
        const batch = events.splice(0);
        sends.push(() => sendEvents(batch));
      }
    }
    if (events.length > 0) sends.push(() => sendEvents(events));

    const killConsumer = (): boolean => process.kill(local().pushInteraction.pid, 'SIGKILL');
    let isBack: Promise<void> | undefined;
    const kills = new Map<number, () => unknown>([
      [sends.length >> 2, killConsumer],
      [sends.length >> 1, () => (isBack = killGateway())],
      [(sends.length * 3) >> 2, killConsumer],
    ]);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < sends.length; index = next++) {
        void kills.get(index)?.();
        await deliver(sends[index] ?? (() => Promise.resolve(200)));
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    await isBack;

    await eventually(async () => {
      expect(await readCounts()).toEqual(truth);
    }, 120_000);
    const merged = `SELECT count() AS n FROM current_push_interactions WHERE startsWith(campaign_id, {run:String})`;
    expect(await select(merged, { run })).toEqual([{ n: interactionCount }]);
  },
);
