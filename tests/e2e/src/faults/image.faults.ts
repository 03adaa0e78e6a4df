import { type ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { freePorts, startTestServers, type RunningServers } from '@sluice/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Assembled, type Environment, stop } from '../deploy/assembled.js';

/** Packages that only builds, tests or `npm start` need. */
const unwanted = [
  '@sluice/testing',
  'chdb',
  'ffi-rs',
  'testcontainers',
  'node',
  'vitest',
  'nx',
  'eslint',
  'fast-check',
];
const apps = ['gateway', 'tracking', 'operator'] as const;

let folder: string;
let servers: RunningServers;
let images: Record<(typeof apps)[number], Assembled>;
let connection: Environment;
const running: ChildProcess[] = [];

// Runs the steps of deploy/Dockerfile without a container engine. The programs never run as root.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-image-'));
  await chmod(folder, 0o755);
  servers = await startTestServers();
  const folders: [string, Assembled][] = [];
  for (const app of apps) folders.push([app, await Assembled.make(app, join(folder, app))]);
  images = Object.fromEntries(folders) as typeof images;
  connection = {
    KAFKA_BROKERS: servers.kafkaBrokers.join(','),
    CLICKHOUSE_URL: servers.clickhouseUrl,
    CLICKHOUSE_DATABASE: 'image',
    CLICKHOUSE_DURABILITY: 'fsync',
    LOG_LEVEL: 'warn',
  };
}, 900_000);
afterAll(async () => {
  await Promise.all(running.map(stop));
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

it.each(apps)('%s has every package it needs, and none that only builds or tests need', async (app) => {
  const packages = await images[app].packages();
  expect(packages).toEqual(expect.arrayContaining(['kafkajs', '@nestjs/core', '@sluice/kafka']));
  expect(packages.filter((name) => unwanted.includes(name) || name.startsWith('@chdb/'))).toEqual([]);
  expect(packages.includes('@clickhouse/client')).toBe(app !== 'gateway');
  expect(images[app].has('apps/tracking/migrations/0001-events.sql')).toBe(app !== 'gateway');
  const files = await images[app].files();
  expect(files).toContain(`apps/${app}/dist/main.js`);
  expect(files.filter((file) => /\.spec[.-]|\.d\.ts$/.test(file))).toEqual([]);
});

it('the images accept an event and store it', { timeout: 300_000 }, async () => {
  const { operator, gateway, tracking } = images;
  await operator.runToEnd(connection, 'migrate');
  const created = await operator.runToEnd(
    connection,
    'sources',
    'create',
    '--name',
    'Image',
    '--type',
    'web-sdk',
    '--json',
  );
  const source = JSON.parse(created) as { sourceIdentifier: string; apiKey: string };

  const data = join(folder, 'data');
  await mkdir(data);
  if (process.getuid?.() === 0) await chown(data, 1000, 1000);
  const [port = 0, ofGateway = 0, ofTracking = 0] = await freePorts(3);
  const environments = {
    gateway: {
      KAFKA_BROKERS: connection['KAFKA_BROKERS'] ?? '',
      GATEWAY_DATA_DIR: data,
      GATEWAY_PORT: String(port),
      MANAGEMENT_PORT: String(ofGateway),
    },
    tracking: { ...connection, MANAGEMENT_PORT: String(ofTracking) },
  };
  expect(await gateway.isHealthy(environments.gateway)).toBe(false);
  running.push(gateway.start(environments.gateway), tracking.start(environments.tracking));
  const untilHealthy = { timeout: 120_000, interval: 500 };
  await vi.waitFor(async () => {
    expect(await gateway.isHealthy(environments.gateway)).toBe(true);
    expect(await tracking.isHealthy(environments.tracking)).toBe(true);
  }, untilHealthy);

  const answer = await fetch(`http://127.0.0.1:${port}/api/tracker/sdk/${source.sourceIdentifier}/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'u', event: 'shipped' }),
  });
  expect(answer.status).toBe(200);
  const client = createClient({ url: servers.clickhouseUrl, database: 'image' });
  await vi.waitFor(async () => {
    const result = await client.query({ query: 'SELECT event, user_id FROM events', format: 'JSONEachRow' });
    expect(await result.json()).toEqual([{ event: 'shipped', user_id: 'u' }]);
  }, untilHealthy);
  await client.close();

  expect(await Promise.all(running.map(stop))).toEqual([0, 0]);
});
