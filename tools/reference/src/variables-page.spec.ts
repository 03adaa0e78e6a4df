import { existsSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { readAppVariables } from './app-variables.js';
import { command, variablesPage, withSection } from './page.js';
import { variablesSection } from './variables-section.js';

// Reading the variables of all apps takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const page = readFileSync(variablesPage, 'utf8');
const runbooks = readFileSync(new URL('../../../docs/runbooks.md', import.meta.url), 'utf8');

it('has every variable of every app as the code declares it', async () => {
  const apps = await readAppVariables();
  expect(apps.map(({ app }) => app)).toEqual(
    expect.arrayContaining(['catalog', 'gateway', 'operator', 'push-interaction', 'tracking']),
  );
  expect(page, `docs/variables.md is not up to date: run ${command}`).toBe(withSection(page, variablesSection(apps)));
});

it('shows required variables, variables without a default, and choices', async () => {
  const section = variablesSection(await readAppVariables());
  expect(section).toMatch(/\| `KAFKA_BROKERS` +\| all +\| \*\*required\*\* +\| Brokers to begin from \(`kafka-1/);
  expect(section).toMatch(/\| `CLICKHOUSE_PASSWORD` +\| [\w, -]+ \| none /);
  expect(section).toMatch(/\| `LOG_LEVEL` +\| [\w, -]+ \| `info` .*`trace`, `debug`/);
});

const alertsFile = new URL('../../../deploy/helm/sluice/files/alerts.yml', import.meta.url);

it.skipIf(!existsSync(alertsFile))('has a runbook for every alert under its name', () => {
  const alerts = [...readFileSync(alertsFile, 'utf8').matchAll(/^ *- alert: (\w+)$/gm)].map(([, name = '']) => name);
  expect(alerts.length).toBeGreaterThan(0);
  const headings = new Set([...runbooks.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase()));
  expect(alerts.filter((name) => !headings.has(name.toLowerCase()))).toEqual([]);
});
