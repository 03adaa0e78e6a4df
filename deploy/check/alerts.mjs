// `npm run check:alerts`: the unit tests of the alerts, and those of two releases in one Prometheus. Needs promtool and amtool.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const deploy = fileURLToPath(new URL('..', import.meta.url));
const promtool = (...args) => execFileSync('promtool', args, { stdio: 'inherit' });

promtool('check', 'config', join(deploy, 'prometheus/prometheus.yml'));
execFileSync('amtool', ['check-config', join(deploy, 'alertmanager/alertmanager.yml')], { stdio: 'inherit' });
promtool('test', 'rules', join(deploy, 'prometheus/alerts.test.yml'), join(deploy, 'prometheus/levels.test.yml'));

// The chart gives each release its own copy of the rules by replacing the scope (templates/monitoring.yaml).
const scope = 'namespace="local",release="sluice"';
const rules = readFileSync(join(deploy, 'helm/sluice/files/alerts.yml'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'));
for (const [namespace, release] of [
  ['prod', 'sluice'],
  ['staging', 'sluice'],
  ['staging', 'second'],
]) {
  const own = `namespace="${namespace}",release="${release}"`;
  writeFileSync(join(folder, `${namespace}-${release}.yml`), rules.replaceAll(scope, own));
}
copyFileSync(join(deploy, 'prometheus/releases.test.yml'), join(folder, 'releases.test.yml'));
try {
  promtool('test', 'rules', join(folder, 'releases.test.yml'));
} finally {
  rmSync(folder, { recursive: true });
}
