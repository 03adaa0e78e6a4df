import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort, ServerProcess } from '@sluice/testing';
import { parse } from 'yaml';

const configFile = fileURLToPath(new URL('../../../../deploy/alertmanager/alertmanager.yml', import.meta.url));
/** Names of the program: Debian's, and the project's own. */
const programs = ['prometheus-alertmanager', 'alertmanager'];

/** A message to people. */
export interface AlertMessage {
  readonly time: Date;
  readonly status: 'firing' | 'resolved';
  readonly severity: string;
  /** Names of the alerts that fire. */
  readonly firing: string[];
}

interface Webhook {
  status: AlertMessage['status'];
  groupLabels: { severity: string };
  alerts: { status: string; labels: { alertname: string } }[];
}

/** A real Alertmanager with the shipped routes and inhibition, whose receiver keeps what it would send to people. */
export class AlertmanagerServer {
  private constructor(
    private readonly server: ServerProcess,
    private readonly receiver: Server,
    private readonly folder: string,
    /** Host and port. */
    readonly address: string,
    readonly notifications: readonly AlertMessage[],
  ) {}

  static isInstalled(): boolean {
    return installed() !== undefined;
  }

  static async start(): Promise<AlertmanagerServer> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-alertmanager-'));
    const notifications: AlertMessage[] = [];
    const receiver = await receive(notifications);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const shipped = parse(await readFile(configFile, 'utf8')) as { receivers: { name: string }[] };
    const receivers = shipped.receivers.map(({ name }) => ({ name, webhook_configs: [{ url }] }));
    // JSON is valid YAML.
    await writeFile(join(folder, 'alertmanager.yml'), JSON.stringify({ ...shipped, receivers }));
    const port = await freePort();
    const server = await ServerProcess.spawn({
      name: 'alertmanager',
      command: installed() ?? '',
      args: [
        `--config.file=${join(folder, 'alertmanager.yml')}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      ],
      env: {},
      port,
      logFile: join(folder, 'alertmanager.log'),
      isReady: () =>
        fetch(`http://127.0.0.1:${port}/-/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
    });
    await server.untilReady(30_000);
    return new AlertmanagerServer(server, receiver, folder, `127.0.0.1:${port}`, notifications);
  }

  /** Names of the alerts that are inhibited now, because a page covers them. */
  async inhibited(): Promise<string[]> {
    const answer = await fetch(`http://${this.address}/api/v2/alerts?inhibited=true&active=false`);
    const alerts = (await answer.json()) as { labels: { alertname: string } }[];
    return alerts.map(({ labels }) => labels.alertname);
  }

  async stop(): Promise<void> {
    await this.server.stop(5_000);
    this.receiver.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const installed = (): string | undefined => programs.find((name) => spawnSync(name, ['--version']).status === 0);

async function receive(notifications: AlertMessage[]): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status, groupLabels, alerts } = JSON.parse(body) as Webhook;
      const firing = alerts.filter((alert) => alert.status === 'firing').map(({ labels }) => labels.alertname);
      notifications.push({ time: new Date(), status, severity: groupLabels.severity, firing });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
