import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, ServerProcess } from '@sluice/testing';

const rulesFile = fileURLToPath(new URL('../../../../deploy/helm/sluice/files/alerts.yml', import.meta.url));

/** A series of an instant query: its labels and its value. */
export interface QueryResult {
  metric: Record<string, string>;
  value: [number, string];
}

interface PrometheusOptions {
  /** Scrapes and evaluates as docker-compose.yml does, not every second. */
  readonly asShipped?: boolean;
  /** Host and port to which alerts are sent. */
  readonly alertmanager?: string;
}

/** A real Prometheus that evaluates the rules of the chart; it scrapes every second unless `asShipped`. */
export class PrometheusServer {
  private constructor(
    private readonly server: ServerProcess,
    private readonly url: string,
    private readonly folder: string,
  ) {}

  static isInstalled(): boolean {
    return spawnSync('prometheus', ['--version']).status === 0;
  }

  /** Starts it with the addresses to scrape, by job. Resolves when it answers. */
  static async start(
    targets: Readonly<Record<string, string>>,
    { asShipped = false, alertmanager }: PrometheusOptions = {},
  ): Promise<PrometheusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-prometheus-'));
    const port = await freePort();
    const labels = { namespace: 'local', release: 'sluice' };
    const interval = asShipped ? '15s' : '1s';
    const config = {
      global: { scrape_interval: interval, scrape_timeout: '1s', evaluation_interval: interval },
      ...(alertmanager && { alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] } }),
      rule_files: [join(folder, 'alerts.yml')],
      scrape_configs: Object.entries(targets).map(([job_name, url]) => ({
        job_name,
        static_configs: [{ targets: [new URL(url).host], labels }],
      })),
    };
    const rules = await readFile(rulesFile, 'utf8');
    const everySecond = rules.replaceAll(/interval: \w+/g, 'interval: 1s');
    await writeFile(join(folder, 'alerts.yml'), asShipped ? rules : everySecond);
    // JSON is valid YAML.
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const server = await ServerProcess.spawn({
      name: 'prometheus',
      command: 'prometheus',
      args: [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      env: {},
      port,
      logFile: join(folder, 'prometheus.log'),
      isReady: () => isOk(`http://127.0.0.1:${port}/-/ready`),
    });
    await server.untilReady(30_000);
    return new PrometheusServer(server, `http://127.0.0.1:${port}`, folder);
  }

  /** @throws when Prometheus refuses the query. */
  async query(expression: string): Promise<QueryResult[]> {
    const answer = await fetch(`${this.url}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query: expression }),
    });
    const body = (await answer.json()) as { error?: string; data?: { result: QueryResult[] } };
    if (body.data === undefined) throw new Error(`${body.error ?? String(answer.status)}: ${expression}`);
    return body.data.result;
  }

  /** Resolves when the query has a result. */
  async until(expression: string): Promise<void> {
    const deadline = Date.now() + 60_000;
    while ((await this.query(expression)).length === 0) {
      if (Date.now() > deadline) throw new Error(`no result in time: ${expression}`);
      await sleep(200);
    }
  }

  async stop(): Promise<void> {
    await this.server.stop(5_000);
    await rm(this.folder, { recursive: true, force: true });
  }
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
