import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromMaven, fromNpm, hasProgram, installOnce, runProgram } from '@sluice/testing';
import { beforeAll, expect, it } from 'vitest';
import { createSegmentSource, type SegmentSource } from '../write-key.js';
import { type ClientProgram, expectAllStored, runThroughFaults } from './published-client.js';

const count = 1_000;
const programs = fileURLToPath(new URL('programs', import.meta.url));

let source: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
});

const npm = (name: string, version: string, program: string) => (): ClientProgram => {
  const folder = fromNpm(`clients/${program}-${version}`, ['--omit=optional', `${name}@${version}`]);
  cpSync(join(programs, `${program}.mjs`), join(folder, `${program}.mjs`));
  return { command: process.execPath, args: [join(folder, `${program}.mjs`)] };
};

const python =
  (name: string, version: string, program: string, hasKeyInPath = false) =>
  (): ClientProgram => {
    const folder = installOnce(`clients/${program}-${version}`, (into) =>
      runProgram('python3', ['-m', 'pip', 'install', '--quiet', '--target', into, `${name}==${version}`], into),
    );
    return { command: 'env', args: [`PYTHONPATH=${folder}`, 'python3', join(programs, `${program}.py`)], hasKeyInPath };
  };

const go = (module: string, version: string, program: string) => (): ClientProgram => {
  const folder = installOnce(`clients/${program}-${version}`, (into) => {
    cpSync(join(programs, `${program}.go`), join(into, 'main.go'));
    runProgram('go', ['mod', 'init', 'client'], into);
    runProgram('go', ['get', `${module}@${version}`], into);
    runProgram('go', ['build', '-o', 'client', '.'], into);
  });
  return { command: join(folder, 'client'), args: [] };
};

const java = (artifact: string, version: string, program: string, hasKeyInPath: boolean) => (): ClientProgram => {
  const jars = fromMaven(`clients/${program}-${version}`, [`${artifact}:${version}`]);
  return { command: 'java', args: ['-cp', jars, join(programs, `${program}.java`)], hasKeyInPath };
};

const tried: [name: string, version: string, needs: string, prepare: () => ClientProgram][] = [
  ['@rudderstack/rudder-sdk-node', '3.0.13', 'npm', npm('@rudderstack/rudder-sdk-node', '3.0.13', 'rudder-node')],
  ['segment-analytics-python', '2.4.0', 'python3', python('segment-analytics-python', '2.4.0', 'analytics_python')],
  [
    ...(['segment-analytics-python', '2.3.4', 'python3'] as const),
    python('segment-analytics-python', '2.3.4', 'analytics_python', true),
  ],
  ['rudder-sdk-python', '2.1.9', 'python3', python('rudder-sdk-python', '2.1.9', 'rudder_python')],
  ['analytics-go', '3.3.0', 'go', go('github.com/segmentio/analytics-go/v3', 'v3.3.0', 'analytics_go')],
  ['analytics-java', '3.5.2', 'mvn', java('com.segment.analytics.java:analytics', '3.5.2', 'AnalyticsJava', true)],
];

it.for(tried)(
  'every message of %s %s is stored once, though its gateway is killed twice and Kafka is paused twice',
  { timeout: 600_000 },
  async ([, , needs, prepare], { skip }) => {
    if (!hasProgram(needs, needs === 'go' ? 'version' : '--version')) skip(`there is no ${needs}`);
    const userId = randomUUID();
    await runThroughFaults(prepare(), { source, userId, count }, { pausesKafka: true });
    await expectAllStored(userId, count);
    expect.hasAssertions();
  },
);
