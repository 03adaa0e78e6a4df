// `npm run test:kubernetes`: installs the chart on the cluster of KUBECONFIG and puts it through upgrades, failures and
// kills under counted load: nothing acknowledged may be lost or stored twice. Kafka and ClickHouse are those that VALUES
// name; with kind they are deploy/check/kind.yaml. It installs a release `sluice` in the namespace NAMESPACE and leaves it.
//   VALUES      values files, separated by commas; deploy/examples/laptop.yaml by default
//   NEXT_TAG    a later version that the upgrade goes to; without it, the same version with another log level
//   RATE        events a second; 20 by default
//   POLICIES    `required`: fails where the network of the cluster does not enforce policies
import { execFile } from 'node:child_process';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const {
  VALUES = 'deploy/examples/laptop.yaml',
  NAMESPACE = 'default',
  NEXT_TAG = '',
  RATE = '20',
  POLICIES = '',
} = process.env;
if (!process.env.KUBECONFIG) {
  console.error('Not run: KUBECONFIG names no cluster.');
  process.exit(2);
}
const chart = 'deploy/helm/sluice';
const values = VALUES.split(',').flatMap((file) => ['--values', file]);
const run = promisify(execFile);
/** @type {(program: string, ...args: string[]) => Promise<string>} What the program printed. */
const printed = async (program, ...args) => {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  return (await run(program, ['--namespace', NAMESPACE, ...args], options)).stdout;
};
const kubectl = (...args) => printed('kubectl', ...args);
const helm = (...args) => printed('helm', ...args);
const upgrade = (...args) => helm('upgrade', '--install', 'sluice', chart, ...values, ...args);
const seconds = (since) => Math.round((performance.now() - since) / 1_000);
const report = [];

/** Does a step and reports how long it took. */
async function step(name, work) {
  const begunAt = performance.now();
  const said = await work();
  report.push({ step: name, seconds: seconds(begunAt), result: said ?? 'ok' });
  console.log(`ok  ${name} (${seconds(begunAt)} s)${said ? `: ${said}` : ''}`);
}

async function fails(work, text) {
  const failure = await work().then(
    () => undefined,
    (error) => `${error.stderr}${error.stdout}`,
  );
  assert.notEqual(failure, undefined, 'it should have failed');
  assert.match(failure, text);
}

const inOperator = (...args) => kubectl('exec', 'job/operator', '--', ...args);
const operator = async (...args) => JSON.parse(await inOperator('node', 'main.mjs', ...args, '--json'));

/** The value of a query, asked from the operator's pod with its own user. */
const query = async (text) => {
  const script = `const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD_FILE, CLICKHOUSE_DATABASE } = process.env;
    const key = CLICKHOUSE_PASSWORD_FILE ? require('fs').readFileSync(CLICKHOUSE_PASSWORD_FILE, 'utf8').trim() : '';
    const headers = { 'X-ClickHouse-User': CLICKHOUSE_USER, 'X-ClickHouse-Key': key };
    fetch(CLICKHOUSE_URL + '/?database=' + CLICKHOUSE_DATABASE, { method: 'POST', headers, body: process.argv[1] })
      .then((answer) => answer.text()).then((body) => console.log(body.trim()));`;
  return (await inOperator('node', '-e', script, text)).trim();
};

async function startOperator() {
  await kubectl('delete', 'job', 'operator', '--ignore-not-found', '--wait');
  await kubectl('create', 'job', 'operator', '--from=cronjob/sluice-operator');
  await kubectl(
    'wait',
    '--for=condition=ready',
    'pod',
    '--selector=batch.kubernetes.io/job-name=operator',
    '--timeout=180s',
  );
}

const linesOf = (text) => text.split('\n').filter((line) => line !== '');
/** Names of the pods of components. The components are separated by commas. */
const podsOf = async (components, ...options) =>
  linesOf(await kubectl('get', 'pods', '--selector', selectorOf(components), '--output=name', ...options));
const selectorOf = (components) => `app.kubernetes.io/instance=sluice,app.kubernetes.io/component in (${components})`;

/** Nodes that take any pod. */
async function workers() {
  const { items } = JSON.parse(await kubectl('get', 'nodes', '--output=json'));
  return items.filter(({ spec }) => spec.taints === undefined).map(({ metadata }) => metadata.name);
}

/** Waits, with a second between the tries, until the check returns something, and returns that. */
async function until(what, check, tries = 180) {
  for (let left = tries; ; left--) {
    const result = await check();
    if (result) return result;
    assert.ok(left > 0, `not in ${tries} tries: ${what}`);
    await sleep(1_000);
  }
}

async function untilRolledOut() {
  for (const set of ['statefulset/sluice-gateway', 'deployment/sluice-tracking']) {
    await kubectl('rollout', 'status', set, '--timeout=5m');
  }
}

const two = ['--set', 'gateway.replicas=2', '--set', 'consumers.tracking.replicas=2'];
let total = { sent: 0, ok: 0 };
/** Sends load through the Service while the work is done, and checks each answer. @param mayLose requests that a kill may take */
async function underLoad(name, source, work, mayLose = 0) {
  const image = (
    await kubectl('get', 'cronjob', 'sluice-operator', '--output=jsonpath={..containers[0].image}')
  ).trim();
  const script = readFileSync(new URL('load.mjs', import.meta.url), 'utf8');
  const pod = `load-${name}`;
  await kubectl('delete', 'pod', pod, '--ignore-not-found', '--wait');
  const url = 'http://sluice-gateway';
  const overrides = JSON.stringify({
    spec: { terminationGracePeriodSeconds: 60, automountServiceAccountToken: false },
  });
  const command = [
    'node',
    '--input-type=module',
    '-e',
    script,
    url,
    source.sourceIdentifier,
    source.apiKey,
    RATE,
    '900',
  ];
  await kubectl(
    ...[
      'run',
      pod,
      `--image=${image}`,
      '--restart=Never',
      '--image-pull-policy=IfNotPresent',
      `--overrides=${overrides}`,
    ],
    ...['--command', '--', ...command],
  );
  await kubectl('wait', '--for=condition=ready', 'pod', pod, '--timeout=120s');
  await sleep(3_000);
  try {
    await work();
    await sleep(3_000);
  } finally {
    await kubectl('exec', pod, '--', 'node', '-e', 'process.kill(1, "SIGTERM")');
    await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod', pod, '--timeout=90s');
  }
  const result = JSON.parse((await kubectl('logs', pod)).trim().split('\n').at(-1) ?? '');
  const ok = result.answers['200'] ?? 0;
  total = { sent: total.sent + result.sent, ok: total.ok + ok };
  assert.ok(result.sent - ok <= mayLose, `${name}: ${JSON.stringify(result)}`);
  return `${result.sent} sent, ${JSON.stringify(result.answers)}, p99 ${result.p99} ms, slowest ${result.slowest} ms`;
}

/** Waits until each request that was answered 200 is one row. A request whose answer was lost may be one too. */
async function untilCounted() {
  const counted = `SELECT count(), uniqExact(message_id) FROM events WHERE source_id = '${source.sourceIdentifier}'`;
  const check = async () => {
    const [rows, ids] = (await query(counted)).split('\t').map(Number);
    if (!(rows >= total.ok)) return undefined;
    assert.equal(rows, ids, 'rows that are stored twice');
    assert.ok(rows <= total.sent, `${rows} rows of ${total.sent} requests`);
    return `${total.sent} sent, ${total.ok} answered 200, ${rows} rows, ${rows - ids} twice`;
  };
  return until(`a row of each of ${total.ok} requests that were answered 200`, check, 120);
}

/**
 * Drains each node that has pods of Sluice, as an upgrade of the nodes does. With one node there is nowhere to go: the
 * budget must keep a gateway, and so the drain fails.
 */
async function drainNodes() {
  const components = 'gateway,tracking,catalog,push-interaction,console';
  const nodes = await workers();
  for (const node of nodes) {
    const onNode = `--field-selector=spec.nodeName=${node}`;
    const pods = await podsOf(components, onNode);
    if (pods.length === 0) continue;
    // The pods of the load and of the operator are not drained, because the test needs them.
    const drain = (timeout) =>
      kubectl(
        ...['drain', node, '--pod-selector', selectorOf(components)],
        ...['--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${timeout}`],
      );
    try {
      if (nodes.length === 1) await fails(() => drain('40s'), /disruption budget/);
      else {
        await drain('5m');
        assert.deepEqual(await podsOf(components, onNode), [], `${node} was drained`);
      }
    } finally {
      await kubectl('uncordon', node);
    }
    await untilRolledOut();
  }
}

/** Stops the consumers as docs/kubernetes.md says. A lag above the limit then gives three, a lag below it one. */
async function scaleByLag() {
  const replicas = async () =>
    Number(await kubectl('get', 'deployment', 'sluice-tracking', '--output=jsonpath={.spec.replicas}'));
  const scaleAt = (lagPerInstance) =>
    upgrade(
      ...[...two, '--set', 'keda.enabled=true,keda.pollingIntervalSeconds=5,keda.cooldownPeriodSeconds=15'],
      ...['--set-json', `consumers.tracking.scaling=${JSON.stringify({ min: 1, max: 3, lagPerInstance })}`],
      ...['--wait', '--timeout', '10m'],
    );
  const pause = 'autoscaling.keda.sh/paused-replicas';
  const annotate = (value) =>
    kubectl('annotate', 'scaledobject', '--selector=app.kubernetes.io/instance=sluice', '--overwrite', value);
  // A tenth of a second of load: a consumer commits about once a second, so the lag is usually higher.
  await scaleAt(Math.ceil(Number(RATE) / 10));
  await annotate(`${pause}=0`);
  await until('no consumer', async () => (await podsOf('tracking')).length === 0);
  await annotate(`${pause}-`);
  await until('three consumers', async () => (await replicas()) === 3);
  await untilRolledOut();
  await scaleAt(100_000);
  await until('one consumer', async () => (await replicas()) === 1);
}

await step('install', async () => void (await upgrade('--wait', '--timeout', '15m')));
await step(
  'helm test',
  async () => (await helm('test', 'sluice', '--logs')).match(/ready: .*/)?.[0].split(',').length + ' answers',
);
await step('operator by NOTES.txt', startOperator);
const source = await operator('sources', 'create', '--name', 'Load', '--type', 'tracking-api');

await step('status asks every pod', async () => {
  const { gateways, consumers } = await operator('status');
  assert.equal(gateways.gateways.length, (await podsOf('gateway')).length);
  return `${gateways.summary}; ${consumers.summary}`;
});
await step('load', () => underLoad('plain', source, () => sleep(15_000)));
await step('two gateways, two consumers', () =>
  underLoad('scale', source, () => upgrade(...two, '--wait', '--timeout', '10m')),
);
await step('the gateways are on different nodes', async () => {
  if ((await workers()).length === 1) return 'NOT RUN: the cluster has one node';
  const path = '--output=jsonpath={range .items[*]}{.spec.nodeName}{"\\n"}{end}';
  const nodes = linesOf(await kubectl('get', 'pods', '--selector', selectorOf('gateway'), path));
  assert.equal(new Set(nodes).size, 2, `both gateways are on ${nodes[0]}`);
  return nodes.join(', ');
});
await step('status asks both', async () => {
  const { gateways, consumers } = await operator('status');
  assert.deepEqual([gateways.gateways.length, gateways.verdict], [2, 'ok']);
  return `${gateways.summary}; ${consumers.summary}`;
});
await step('rolling upgrade', () =>
  underLoad('upgrade', source, () =>
    upgrade(
      ...two,
      ...(NEXT_TAG ? ['--set', `image.tag=${NEXT_TAG}`] : ['--set', 'logLevel=debug']),
      '--wait',
      '--timeout',
      '10m',
    ),
  ),
);
await step('rollback', () =>
  underLoad('rollback', source, () => helm('rollback', 'sluice', '--wait', '--timeout', '10m')),
);
await step('an upgrade to an image that does not exist, and its rollback', () =>
  underLoad('missing', source, async () => {
    const failing = upgrade(
      ...two,
      '--set',
      'image.tags.gateway=9.9.9,image.tags.tracking=9.9.9,upgradeOrder.enabled=false',
      '--wait',
      '--timeout',
      '45s',
    );
    await fails(() => failing, /timed out|deadline|not ready/i);
    await helm('rollback', 'sluice', '--wait', '--timeout', '10m');
  }),
);
await step('an upgrade whose migration fails changes nothing', () =>
  underLoad('migration', source, async () => {
    const before = await kubectl(
      'get',
      'statefulset,deployment',
      '--output=jsonpath={..spec.template.spec.containers[0].image}',
    );
    await fails(
      () => upgrade(...two, '--set', 'clickhouse.user=nobody,migrate.deadlineSeconds=40', '--wait', '--timeout', '3m'),
      /failed|deadline/i,
    );
    const after = await kubectl(
      'get',
      'statefulset,deployment',
      '--output=jsonpath={..spec.template.spec.containers[0].image}',
    );
    assert.equal(after, before);
    await helm('rollback', 'sluice', '--wait', '--timeout', '10m');
  }),
);
await step('a volume cannot change by an upgrade, and the chart says so', () =>
  fails(() => upgrade(...two, '--set', 'gateway.storage.size=77Gi'), /larger-volumes/),
);
await step('pods killed', () =>
  underLoad(
    'kills',
    source,
    async () => {
      for (const component of ['tracking', 'gateway']) {
        const [pod] = await podsOf(component);
        await kubectl('delete', pod, '--force', '--grace-period=0');
        await sleep(5_000);
      }
      await untilRolledOut();
    },
    Number(RATE) * 4,
  ),
);
await step('nodes are drained in turn', () => underLoad('drain', source, drainNodes));
await step('consumers are scaled by lag (KEDA)', async () => {
  const definitions = await kubectl('get', 'crd', '--output=name');
  if (!definitions.includes('scaledobjects.keda.sh')) return 'NOT RUN: KEDA is not in this cluster';
  return underLoad('lag', source, scaleByLag);
});
await step('fewer gateways', () =>
  underLoad('fewer', source, async () => {
    await inOperator('node', 'main.mjs', 'gateways', 'wait-for-spools', '--timeout', '60');
    await upgrade('--set', 'consumers.tracking.replicas=2', '--wait', '--timeout', '10m');
  }),
);
await step('network policies', async () => {
  const closed = [
    '--set',
    'networkPolicy.enabled=true',
    '--set-json',
    'networkPolicy.monitoringFrom=[{"podSelector":{"matchLabels":{"may":"scrape"}}}]',
  ];
  const asked = async () => {
    await kubectl('delete', 'pod', 'stranger', '--ignore-not-found', '--wait');
    const image = (
      await kubectl('get', 'cronjob', 'sluice-operator', '--output=jsonpath={..containers[0].image}')
    ).trim();
    const script = `const can = (url) => fetch(url, { signal: AbortSignal.timeout(4000) }).then(() => true, () => false);
      Promise.all(['http://sluice-gateway/health/ready', 'http://sluice-gateway-pods:9000/metrics'].map(can))
        .then((answers) => console.log(JSON.stringify(answers)));`;
    await kubectl(
      'run',
      'stranger',
      `--image=${image}`,
      '--restart=Never',
      '--image-pull-policy=IfNotPresent',
      '--command',
      '--',
      'node',
      '-e',
      script,
    );
    await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod', 'stranger', '--timeout=60s');
    return JSON.parse(await kubectl('logs', 'stranger'));
  };
  await upgrade('--set', 'consumers.tracking.replicas=2', ...closed, '--wait', '--timeout', '10m');
  const [events, metrics] = await asked();
  assert.ok(events, 'a stranger may send events');
  await helm('test', 'sluice');
  if (metrics && POLICIES === 'required') assert.fail('a stranger reads /metrics');
  return metrics
    ? 'NOT ENFORCED by the network of this cluster'
    : 'a stranger may send events and cannot read /metrics';
});
await step('everything is stored once', untilCounted);
console.table(report);
