import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePlan } from './parse-plan.js';
import { formatPlanTypes } from './typescript-types.js';

const plan = parsePlan({
  version: 1,
  sources: ['AbCdEf123456'],
  events: {
    order_completed: {
      description: 'Paid; ends the comment */ not',
      properties: {
        order_id: { type: 'string' },
        total: { type: ['number', 'integer'], description: 'With tax' },
        currency: { type: 'string', enum: ['EUR', 'IRR'] },
        lines: {
          type: 'array',
          items: { type: 'object', properties: { 'sku-no': { type: 'string' } }, required: ['sku-no'] },
        },
      },
      required: ['order_id'],
    },
    'cart.opened': {},
    login: { properties: {} },
  },
  traits: { properties: { mail: { type: 'string' } }, additionalProperties: true },
});

// The folder lies within the workspace, where the SDKs are found.
const parent = join(import.meta.dirname, '../../dist');
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, 'types-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'plan.d.ts'), formatPlanTypes(plan));

const sdks = {
  web: "import { createClient } from '@sluice/web'; const client = createClient<TrackingPlan>({} as never);",
  node: "import { createClient } from '@sluice/node'; const client = createClient<TrackingPlan>({} as never);",
  'react-native':
    "import { type ReactNativeClient } from '@sluice/react-native'; declare const client: ReactNativeClient<TrackingPlan>;",
};

const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('native-typescript/package.json')));
const options = [
  ...['--ignoreConfig', '--strict', '--noEmit', '--skipLibCheck', '--exactOptionalPropertyTypes', '--pretty', 'false'],
  ...['--target', 'es2022', '--module', 'nodenext', '--customConditions', '@sluice/source', '--lib', 'es2024,dom'],
];

/** Compiles each call in a file of its own, all at once; returns the errors of each as one text. */
function errorsOf(start: string, calls: readonly string[]): string[] {
  const files = calls.map((call, index) => {
    const file = join(folder, `${start.length}-${index}.ts`);
    writeFileSync(file, `import { type TrackingPlan } from './plan.js';\n${start}\n${call}\n`);
    return file;
  });
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, ...files], { cwd: folder, encoding: 'utf8' });
  // The lines after the first of an error are indented.
  const errors = stdout.split(/\n(?=\S)/);
  return files.map((file) => errors.filter((error) => error.startsWith(`${basename(file)}(`)).join('; '));
}

const good = [
  "client.track('order_completed', { order_id: 'o-1' });",
  "client.track('order_completed', { order_id: 'o-1', total: 5, currency: 'EUR', lines: [{ 'sku-no': 'x' }] });",
  "client.track('order_completed', { order_id: 'o-1', total: null }, { timestamp: new Date() });",
  "client.track('cart.opened', { any: 1 });",
  "client.track('login');",
];
const bad: [string, string][] = [
  ["client.track('order_complete', { order_id: 'o-1' });", 'not assignable'],
  ["client.track('order_completed', { order_id: 'o-1', totl: 5 });", 'totl'],
  ["client.track('order_completed', { order_id: 5 });", 'not assignable'],
  ["client.track('order_completed', { order_id: 'o-1', currency: 'USD' });", 'not assignable'],
  ["client.track('order_completed', { order_id: 'o-1', lines: [{ sku: 'x' }] });", 'sku'],
  ["client.track('order_completed', {});", 'order_id'],
  ["client.track('order_completed');", 'Expected'],
  ["client.track('login', { name: 'x' });", 'not assignable'],
];

describe.each(Object.entries(sdks))('types for %s', (_, start) => {
  it('compile with what the plan allows, and with nothing else', () => {
    const errors = errorsOf(start, [...good, ...bad.map(([call]) => call)]);
    expect(errors.slice(0, good.length)).toEqual(good.map(() => ''));
    for (const [index, [call, message]] of bad.entries()) expect(errors[good.length + index], call).toContain(message);
  }, 120_000);
});
