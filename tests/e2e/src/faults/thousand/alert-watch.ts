import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alerts, recordings } from '../../observability/monitored.js';
import { type ScrapeTarget } from './instances.js';

const scrapeTimeoutMs = 1_000;
const pauseMs = 400;
/** Prometheus time between two scrapes, so that minutes of a rule's `for` pass in seconds. */
const stepSeconds = 30;
/** Steps at rest for which the first scrape stands; they exceed every range of the watched rules. */
const restSteps = 150;
const timeoutMs = 120_000;
const restMs = 30_000;

const singleSample = [{ labels: '{}', value: 1 }];
const countExpression = (name: string, labels: string): string =>
  `count(count by (alertname) (ALERTS{alertname="${name}",alertstate="firing"${labels && `,${labels}`}}))`;

/**
 * Scrapes the consumers like Prometheus and asks promtool whether rules of deploy/helm/sluice/files/alerts.yml fire. The
 * rules' clock runs faster: each scrape counts for 30 s.
 */
export class AlertWatch {
  /** Values by series and scrape; `_` means no value. */
  private readonly series = new Map<string, string[]>();
  private readonly metrics = new Set(alerts().flatMap(({ expr }) => expr.match(/sluice_consumer_\w+/g) ?? []));
  private scrapes = 0;

  private constructor(private readonly targets: () => readonly ScrapeTarget[]) {}

  static isAble(): boolean {
    return spawnSync('promtool', ['--version']).status === 0;
  }

  /** Begins a watch at rest. @throws when an alert keeps firing for half a minute before any fault. */
  static async atRest(targets: () => readonly ScrapeTarget[], names: readonly string[]): Promise<AlertWatch> {
    const deadline = Date.now() + restMs;
    for (;;) {
      const watch = new AlertWatch(targets);
      await watch.scrape();
      const firing = await watch.firing(names);
      if (firing.length === 0) return watch;
      if (Date.now() > deadline) throw new Error(`${firing.join(', ')} fires before any fault`);
      await sleep(pauseMs);
    }
  }

  /** Scrapes until the alert fires. Returns false if it does not fire within two minutes. */
  async untilFiring(name: string, labels = ''): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      await sleep(pauseMs);
      await this.scrape();
      if (await this.holds(name, countExpression(name, labels), singleSample)) return true;
    }
    return this.isFiring(name, labels);
  }

  private async scrape(): Promise<void> {
    const samples = new Map((await Promise.all(this.targets().map((target) => this.read(target)))).flat());
    for (const [name, value] of samples) {
      const values = this.series.get(name) ?? Array.from({ length: this.scrapes }, () => '_');
      this.series.set(name, [...values, value]);
    }
    for (const [name, values] of this.series) {
      // Marks an ended series as stale, like Prometheus. Without the mark it would last five minutes longer.
      if (!samples.has(name)) values.push(['_', 'stale'].includes(values.at(-1) ?? '_') ? '_' : 'stale');
    }
    this.scrapes += 1;
  }

  private async read({ job, port }: ScrapeTarget): Promise<[string, string][]> {
    // The labels by which the rules select.
    const seriesLabels = `namespace="local",release="sluice",job="${job}",instance="127.0.0.1:${port}"`;
    const text = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(scrapeTimeoutMs) }).then(
      (answer) => answer.text(),
      () => undefined,
    );
    const samples = [...(text ?? '').matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].flatMap(
      ([, name = '', labels = '', value = '']): [string, string][] =>
        this.metrics.has(name) ? [[`${name}{${[labels, seriesLabels].filter(Boolean).join()}}`, value]] : [],
    );
    return [...samples, [`up{${seriesLabels}}`, text === undefined ? '0' : '1']];
  }

  private async firing(names: readonly string[]): Promise<string[]> {
    const firing: string[] = [];
    for (const name of names) if (await this.isFiring(name)) firing.push(name);
    return firing;
  }

  private async isFiring(name: string, labels = ''): Promise<boolean> {
    const expr = countExpression(name, labels);
    if (await this.holds(name, expr, singleSample)) return true;
    if (await this.holds(name, expr, [])) return false;
    throw new Error(`promtool answers neither that ${name} fires nor that it does not`);
  }

  /** True if the expression has this value. Only the alert's rule and its recordings are loaded, because the others would take seconds. */
  private async holds(name: string, expr: string, samples: readonly object[]): Promise<boolean> {
    const series = [...this.series].map(([name, [first = '_', ...laterValues]]) => ({
      series: name,
      values: [first === '_' ? `_x${restSteps + 1}` : `${first}x${restSteps}`, ...laterValues].join(' '),
    }));
    const evalTime = `${(restSteps + this.scrapes - 1) * stepSeconds}s`;
    const test = {
      interval: `${stepSeconds}s`,
      input_series: series,
      promql_expr_test: [{ expr, eval_time: evalTime, exp_samples: samples }],
    };
    const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
    const [rules, file] = [join(folder, 'rules.json'), join(folder, 'test.json')];
    const rule = alerts().find(({ alert }) => alert === name);
    const testedRules = [...recordings().filter(({ record }) => rule?.expr.includes(record)), rule];
    // JSON is valid YAML.
    await writeFile(rules, JSON.stringify({ groups: [{ name: 'asked', rules: testedRules }] }));
    await writeFile(
      file,
      JSON.stringify({ rule_files: [rules], evaluation_interval: `${stepSeconds}s`, tests: [test] }),
    );
    const hasPassed = await new Promise<boolean>((resolve) => {
      execFile('promtool', ['test', 'rules', file], (error) => resolve(error === null));
    });
    await rm(folder, { recursive: true });
    return hasPassed;
  }
}
