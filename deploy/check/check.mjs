// `npm run check:deploy`: checks Dockerfile, compose files, workflows and chart with the official tools and schemas.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tools = process.env.CHECK_TOOLS ?? '';
if (!existsSync(join(tools, 'bin', 'helm'))) {
  console.error('CHECK_TOOLS must be a folder that deploy/check/install-tools.sh has filled');
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), 'sluice-check-'));
const kubernetes = ['1.27.0', '1.33.0', '1.37.0'];

/** Runs a tool to its end; shows its output only if it fails. */
function run(tool, ...args) {
  try {
    return execFileSync(join(tools, 'bin', tool), args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = /** @type {import('node:child_process').ExecFileException} */ (error);
    console.error(`${tool} ${args.join(' ')}\n${stdout}${stderr}`);
    process.exit(1);
  }
}

/** Mistakes in values that a chart without a schema would accept silently, each with a part of the refusal. */
const mistakes = [
  ['gateway.replcas=3', 'replcas'],
  ['kafka.tls.enbled=true', 'enbled'],
  ['kafka.brokers={kafka}', 'brokers'],
  ['logLevel=verbose', 'logLevel'],
  ['gateway.env.SPOOL_MAX_BYTE=1', 'gateway.env'],
  ['gateway.env.GATEWAY_PORT=80', 'gateway.env'],
  ['consumers.trackin.replicas=2', 'trackin'],
  ['consumers.tracking.env.BLOCK_MAX_ROW=1', 'consumers.tracking.env'],
  ['console.env.OIDC_NAMES=x', 'console.env'],
  ['gateway.resources.limits.memori=1Gi', 'gateway.resources.limits'],
  ['gateway.stopTimeoutMs=120000', 'terminationGracePeriodSeconds'],
  ['kafka.sasl.mechanism=plain', 'kafka.sasl.passwordSecret'],
  ['kafka.topicPrefix=my topics', 'topicPrefix'],
  ['image.tag=1.2.3@sha256:0123', 'image.tag'],
  ['image.tags.gateway=1.2.3@sha256:0123', 'image.tags.gateway'],
  ['gateway.kafka.brokers={other:9092}', 'gateway.kafka'],
  ['gateway.clickhouse.user=gateway', 'gateway'],
  ['consumers.tracking.clickhouse.usr=x', 'consumers.tracking.clickhouse'],
  ['clickhouse.tls.clientSecret=mine', 'clickhouse.tls.caSecret'],
];

const kinds = [
  ...['statefulset-apps-v1', 'deployment-apps-v1', 'job-batch-v1', 'cronjob-batch-v1', 'service-v1', 'secret-v1'],
  ...['configmap-v1', 'pod-v1', 'serviceaccount-v1', 'horizontalpodautoscaler-autoscaling-v2'],
  ...['ingress-networking-v1', 'networkpolicy-networking-v1', 'poddisruptionbudget-policy-v1'],
];

/** Copies the definitions into each schema, because the package refers to them by an address that does not exist. */
function writeKubernetesSchemas(version) {
  const from = join(tools, 'schemas', `v${version}-local-strict`);
  const to = join(work, version);
  mkdirSync(to);
  const { $defs } = JSON.parse(readFileSync(join(from, '_definitions.json'), 'utf8'));
  for (const kind of kinds) {
    const schema = readFileSync(join(from, `${kind}.json`), 'utf8').replaceAll('"/api/_definitions.json#', '"#');
    writeFileSync(join(to, `${kind}.json`), JSON.stringify({ ...JSON.parse(schema), $defs }));
  }
  return join(to, '{{.ResourceKind}}{{.KindSuffix}}.json');
}

/** Writes a schema file for each custom resource, for kubeconform. Unknown fields count as mistakes. */
function writeMoreSchemas() {
  for (const file of readdirSync(join(tools, 'crds')).filter((name) => name.endsWith('.yaml'))) {
    for (const document of parseAllDocuments(readFileSync(join(tools, 'crds', file), 'utf8'))) {
      const { group, names, versions } = document.toJS().spec;
      for (const { name, schema } of versions) {
        mkdirSync(join(work, group), { recursive: true });
        const path = join(work, group, `${names.kind.toLowerCase()}_${name}.json`);
        writeFileSync(path, JSON.stringify(strict(schema.openAPIV3Schema)));
      }
    }
  }
}

function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isClosed = schema.type === 'object' && schema.properties && !schema['x-kubernetes-preserve-unknown-fields'];
  // `metadata` stays open, because these schemas do not list its fields.
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}

const chart = 'deploy/helm/sluice';

run('hadolint', 'deploy/Dockerfile');
console.log('ok  Dockerfile');
for (const file of ['docker-compose.yml', 'deploy/cluster/docker-compose.yml']) {
  run('compose-go', file);
  console.log(`ok  ${file}`);
}
run('actionlint', '-shellcheck', join(tools, 'bin', 'shellcheck'));
console.log('ok  .github/workflows');

writeMoreSchemas();
const schemas = new Map(kubernetes.map((version) => [version, writeKubernetesSchemas(version)]));
const examples = readdirSync(join(root, 'deploy/examples')).map((file) => `deploy/examples/${file}`);
for (const values of ['minimal', 'full', 'edge'].map((name) => `deploy/check/${name}.yaml`).concat(examples)) {
  const options = [chart, '--values', values];
  for (const version of kubernetes) {
    run('helm', 'lint', '--strict', '--quiet', '--kube-version', version, ...options);
    const manifests = join(work, `${values.replaceAll('/', '-')}-${version}.yaml`);
    const rendered = run('helm', 'template', 'sluice', '--kube-version', version, ...options);
    const notANumber = /value: "[\d.]+e\+\d+"/.exec(rendered);
    if (notANumber) {
      console.error(`${values}: ${notANumber[0]} is not a number that an app reads`);
      process.exit(1);
    }
    writeFileSync(manifests, rendered);
    const more = join(work, '{{.Group}}', '{{.ResourceKind}}_{{.ResourceAPIVersion}}.json');
    const said = run(
      'kubeconform',
      ...['-strict', '-summary', '-schema-location', schemas.get(version), '-schema-location', more, manifests],
    );
    console.log(`ok  chart, ${values}, Kubernetes ${version}: ${said.trim()}`);
  }
}

for (const [mistake, reason] of mistakes) {
  const options = ['--kube-version', kubernetes[1], '--values', 'deploy/check/minimal.yaml', '--set', mistake];
  const { status, stderr } = spawnSync(join(tools, 'bin', 'helm'), ['template', chart, ...options], { cwd: root });
  if (status !== 0 && String(stderr).includes(reason)) continue;
  console.error(`the chart does not refuse ${mistake}, or does not say why: ${String(stderr)}`);
  process.exit(1);
}
console.log(`ok  ${mistakes.length} mistakes in values are refused`);
