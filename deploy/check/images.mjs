// `npm run test:images`: builds every image from deploy/Dockerfile as it is, and runs each as the chart does, with the
// embedded Kafka and ClickHouse: an event becomes a row. Needs `npm run build`, and podman (buildah builds, if it is
// there) or docker.
//   IMAGES_TAG=1.2.3   runs images that exist under this tag instead of building them
//   BUILD_OPTIONS      more options of the build, such as the mount of a certificate
//   RUN_OPTIONS        more options of each run, such as the limits of a machine
//   ENGINE_OPTIONS     options of the engine itself, such as its runtime
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, chmodSync, mkdirSync, chownSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';

const root = fileURLToPath(new URL('../..', import.meta.url));
const apps = ['operator', 'gateway', 'tracking', 'catalog', 'push-interaction', 'console'];
const optionsOf = (name) => (process.env[name] ?? '').split(' ').filter((word) => word !== '');
const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
const engine = has('podman') ? 'podman' : 'docker';
const builder = has('buildah') && engine === 'podman' ? 'buildah' : engine;
if (!has(engine)) {
  console.error('Not run: neither buildah with podman, nor podman, nor docker is on this machine.');
  process.exit(2);
}
const tag = process.env.IMAGES_TAG ?? 'test';
const imageOf = (app) => `sluice/${app}:${tag}`;
const say = (...args) => execFileSync(engine, [...optionsOf('ENGINE_OPTIONS'), ...args], { encoding: 'utf8' });

/** Builds the image of an app. Returns the seconds that it took; 0 if the image was given. */
function build(app) {
  if (process.env.IMAGES_TAG) return 0;
  const begunAt = performance.now();
  const command = builder === 'buildah' ? ['bud', '--layers'] : ['build'];
  const options = ['--file', 'deploy/Dockerfile', '--build-arg', `APP=${app}`, '--tag', imageOf(app)];
  const { status, stdout, stderr } = spawnSync(builder, [...command, ...optionsOf('BUILD_OPTIONS'), ...options, '.'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DOCKER_BUILDKIT: '1' },
  });
  assert.equal(status, 0, `${app} was not built:\n${stdout.slice(-3_000)}${stderr.slice(-3_000)}`);
  return Math.round((performance.now() - begunAt) / 1_000);
}

/** Restrictions of the chart's pods: a read-only root, no capability, no new privileges. */
const asInThePod = [
  ...['--network', 'host', '--read-only', '--tmpfs', '/tmp:rw,size=64m', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', ...(engine === 'podman' ? ['--read-only-tmpfs=false'] : [])],
];
const variablesOf = (values) => Object.entries(values).flatMap(([name, value]) => ['--env', `${name}=${value}`]);

function runToEnd(app, values, ...args) {
  return say('run', '--rm', ...asInThePod, ...optionsOf('RUN_OPTIONS'), ...variablesOf(values), imageOf(app), ...args);
}

const names = [];
function start(app, values, ...options) {
  const name = `sluice-test-${app}-${process.pid}`;
  names.push(name);
  const more = ['--detach', '--name', name, ...options, ...optionsOf('RUN_OPTIONS')];
  say('run', ...more, ...asInThePod, ...variablesOf(values), imageOf(app));
  return name;
}

async function until(what, check, seconds = 120) {
  const endAt = Date.now() + seconds * 1_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > endAt) throw new Error(`${what}: ${String(error)}`, { cause: error });
      await sleep(500);
    }
  }
}

async function untilReady(port) {
  await until(`port ${port} is ready`, async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`);
    assert.equal(status, 200);
  });
}

/** Checks a running container: its user, its read-only root, its capabilities and its health check. */
function lookInto(name) {
  const inside = (script) => say('exec', name, 'node', '-e', script).trim();
  assert.equal(inside('console.log(process.getuid(), process.getgid())'), '1000 1000', `${name}: user`);
  const writes = `try { require('fs').writeFileSync('/sluice/x', ''); console.log('written') } catch (e) { console.log(e.code) }`;
  assert.equal(inside(writes), 'EROFS', `${name}: the root can be written`);
  const capabilities = `console.log(/CapEff:\\s*(\\w+)/.exec(require('fs').readFileSync('/proc/1/status', 'utf8'))[1])`;
  assert.equal(inside(capabilities), '0000000000000000', `${name}: capabilities`);
  say('exec', name, 'node', 'healthcheck.mjs');
}

function stop(name) {
  say('stop', '--time', '30', name);
  assert.equal(say('inspect', '--format', '{{.State.ExitCode}}', name).trim(), '0', `${name}: exit code`);
}

const { startTestServers, freePorts } = await import(new URL('tools/testing/dist/index.js', `file://${root}/`).href);
const table = [];
for (const app of apps) {
  const seconds = build(app);
  const [{ Size: size, Config: config }] = JSON.parse(say('image', 'inspect', imageOf(app)));
  assert.equal(config.User, '1000:1000', `${app}: user`);
  table.push({ app, MB: Math.round(size / 1e6), 'build s': seconds });
  console.log(`ok  ${app}: ${Math.round(size / 1e6)} MB${seconds ? `, built in ${seconds} s` : ''}`);
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-images-'));
chmodSync(folder, 0o755);
const servers = await startTestServers();
try {
  const kafka = { KAFKA_BROKERS: servers.kafkaBrokers.join(','), LOG_LEVEL: 'warn' };
  const both = {
    ...kafka,
    CLICKHOUSE_URL: servers.clickhouseUrl,
    CLICKHOUSE_DATABASE: 'images',
    CLICKHOUSE_DURABILITY: 'fsync',
  };
  runToEnd('operator', both, 'migrate');
  assert.match(runToEnd('operator', both, 'migrate'), /up to date/, 'a second migration changes nothing');
  const source = JSON.parse(
    runToEnd('operator', both, 'sources', 'create', '--name', 'Images', '--type', 'tracking-api', '--json'),
  );
  const data = join(folder, 'data');
  mkdirSync(data);
  if (process.getuid?.() === 0) chownSync(data, 1000, 1000);
  const secret = join(folder, 'secret');
  writeFileSync(secret, 's'.repeat(40), { mode: 0o644 });
  const [http, page, ...management] = await freePorts(7);
  const [ofGateway, ofTracking, ofCatalog, ofPush, ofConsole] = management;
  const gatewayUrl = `http://127.0.0.1:${http}`;
  const running = [
    start('gateway', { ...kafka, GATEWAY_PORT: http, MANAGEMENT_PORT: ofGateway }, '--volume', `${data}:/data`),
    start('tracking', { ...both, MANAGEMENT_PORT: ofTracking }),
    start('catalog', { ...both, MANAGEMENT_PORT: ofCatalog }),
    start('push-interaction', { ...both, MANAGEMENT_PORT: ofPush }),
    start(
      'console',
      {
        ...both,
        CONSOLE_PORT: page,
        MANAGEMENT_PORT: ofConsole,
        CONSOLE_URL: `http://localhost:${page}`,
        GATEWAY_URL: gatewayUrl,
        CONSOLE_SECRET_FILE: '/secret',
      },
      ...['--volume', `${secret}:/secret:ro`],
    ),
  ];
  await Promise.all(management.map(untilReady));
  for (const name of running) lookInto(name);
  console.log(`ok  ${running.length} run as user 1000, read-only, without capabilities; their health checks pass`);

  const { status } = await fetch(`${gatewayUrl}/api/tracker/sdk/${source.sourceIdentifier}/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'u', event: 'shipped' }),
  });
  assert.equal(status, 200);
  await until('the event is a row', async () => {
    const answer = await fetch(`${servers.clickhouseUrl}/?query=SELECT+event+FROM+images.events`);
    assert.equal((await answer.text()).trim(), 'shipped');
  });
  assert.equal((await fetch(`${gatewayUrl}/sdk/0/sluice.js`)).status, 200, 'the gateway serves the Web SDK');
  assert.match(await (await fetch(`http://127.0.0.1:${page}/`)).text(), /<script/, 'the console serves its pages');
  console.log('ok  an event becomes a row; the Web SDK and the pages of the console are served');
  for (const name of running) stop(name);
  console.log('ok  each ends with 0 when it is stopped');
} finally {
  for (const name of names) spawnSync(engine, [...optionsOf('ENGINE_OPTIONS'), 'rm', '--force', name]);
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.table(table);
