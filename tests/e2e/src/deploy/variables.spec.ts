import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allTopics, systemTopics } from '@sluice/contracts';
import { type Variables } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = new URL('../../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const templates = 'deploy/helm/sluice/templates/';
const services = ['gateway', 'tracking', 'catalog', 'push-interaction', 'console'] as const;

/** The variables of a built app. Its config is loaded by path, because no project may import an app. */
async function readVariables(app: (typeof services)[number] | 'operator'): Promise<Variables> {
  const built = fileURLToPath(new URL(`apps/${app}/dist/config.js`, root));
  const name = `${app.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Variables`;
  const module = (await import(built)) as Record<string, Variables>;
  return module[name] ?? {};
}
const listRequired = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, spec]) => ('default' in spec ? [] : [name]));
/** True for variables that the exporter of OpenTelemetry reads itself. */
const isOfExporter = (name: string): boolean => name.startsWith('OTEL_EXPORTER_OTLP_');

describe('docker-compose.yml', () => {
  interface Compose {
    services: Record<string, { image: string; environment?: Record<string, string>; entrypoint?: string[] }>;
  }
  const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
  const ours = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('sluice/'));

  it('has every service', () =>
    expect(ours.map(([name]) => name)).toEqual(expect.arrayContaining([...services, 'migrate', 'demo-source'])));

  it.each(ours.filter(([, { environment }]) => environment))('gives %s only known variables', async (_, service) => {
    const app = service.image.slice('sluice/'.length) as (typeof services)[number] | 'operator';
    const variables = await readVariables(app);
    const variableNames = Object.keys(service.environment ?? {});
    expect(variableNames.filter((name) => !(name in variables))).toEqual([]);
    if (app === 'operator') return;
    expect(variableNames).toEqual(expect.arrayContaining(listRequired(variables)));
  });
});

describe('the chart', () => {
  const findNames = (text: string): string[] =>
    [...text.matchAll(/- name: ([A-Z][A-Z0-9_]+)$/gm)].flatMap(([, name = '']) => name);
  const servers = read(`${templates}_servers.tpl`);
  const pushTokens = findNames(read(`${templates}_push-tokens.tpl`));
  const privacy = findNames(read(`${templates}_privacy.tpl`));
  const [kafka = '', clickhouse = ''] = servers.split('{{- define "sluice.clickhouseEnv"');

  it.each([
    ['gateway', 'gateway.yaml', [...findNames(kafka), ...pushTokens, ...privacy]],
    ['tracking', 'consumers.yaml', [...findNames(servers), ...privacy]],
    ['catalog', 'consumers.yaml', findNames(servers)],
    ['push-interaction', 'consumers.yaml', [...findNames(servers), ...privacy]],
    ['console', 'console.yaml', [...findNames(servers), ...privacy]],
    ['operator', 'migrate.yaml', findNames(servers)],
    ['operator', 'operator.yaml', [...findNames(servers), ...pushTokens, ...privacy]],
    ['operator', 'privacy.yaml', [...findNames(servers), ...privacy]],
  ] as const)('gives %s only variables that it reads, and all required ones', async (app, file, shared) => {
    const template = read(`${templates}${file}`);
    const variableNames = [...shared, ...findNames(template)];
    const variables = await readVariables(app);
    expect(variableNames.filter((name) => !(name in variables) && !isOfExporter(name))).toEqual([]);
    if (app !== 'operator') expect(variableNames).toEqual(expect.arrayContaining(listRequired(variables)));
    expect(template).toContain('sluice.kafkaEnv');
    expect(template.includes('sluice.clickhouseEnv')).toBe(app !== 'gateway');
  });

  it('the pod of the operator has the variables that its commands read, except those given on the command line', () => {
    const variables = [
      ...findNames(servers),
      ...pushTokens,
      ...privacy,
      ...findNames(read(`${templates}operator.yaml`)),
    ];
    expect(variables).toEqual(
      expect.arrayContaining(['GATEWAY_URL', 'CONSUMER_METRICS_URLS', 'PUSH_TOKEN_KEYS', 'PRIVACY_KEY']),
    );
  });

  it.each([
    ['gateway', 'gateway.yaml', 'gatewayVariables'],
    ['tracking', 'consumers.yaml', 'trackingVariables'],
    ['catalog', 'consumers.yaml', 'consumerVariables'],
    ['push-interaction', 'consumers.yaml', 'consumerVariables'],
    ['console', 'console.yaml', 'consoleVariables'],
  ] as const)(
    'accepts in the `env` of %s every variable that the chart does not set, and no misspelt one',
    async (app, file, kind) => {
      const schema = JSON.parse(read('deploy/helm/sluice/values.schema.json')) as {
        definitions: Record<string, { propertyNames: { anyOf: { enum?: string[] }[] } }>;
      };
      const variables = [...findNames(servers), ...pushTokens, ...privacy, ...findNames(read(`${templates}${file}`))];
      const isOfChart = (name: string): boolean => variables.includes(name) || /_PORT$|PASSWORD$|SECRET$/.test(name);
      const free = Object.keys(await readVariables(app)).filter((name) => !isOfChart(name));
      expect(schema.definitions[kind]?.propertyNames.anyOf[0]?.enum).toEqual(free);
    },
  );

  it('sets variables in no other template', () => {
    const documented = [
      '_privacy.tpl',
      '_push-tokens.tpl',
      '_servers.tpl',
      'console.yaml',
      'consumers.yaml',
      'gateway.yaml',
      'migrate.yaml',
      'operator.yaml',
      'privacy.yaml',
    ];
    const files = readdirSync(new URL(templates, root), { withFileTypes: true }).filter((file) => file.isFile());
    const setting = files.map(({ name }) => name).filter((file) => findNames(read(`${templates}${file}`)).length > 0);
    expect(setting.filter((file) => !documented.includes(file))).toEqual([]);
    expect(findNames(clickhouse).length).toBeGreaterThan(5);
  });

  it('scales each consumer by the lag of all its topics', () => {
    const values = parse(read('deploy/helm/sluice/values.yaml')) as {
      consumers: Record<string, { group: string; topics: string[] }>;
    };
    const consumers = Object.entries(values.consumers);
    const stored = [...allTopics, ...systemTopics].map(({ name }) => name);
    expect(consumers.flatMap(([, { topics }]) => topics).sort()).toEqual(stored.sort());
    for (const [app, { group }] of consumers) {
      expect(read(`apps/${app}/src/main.ts`)).toContain(`name: '${group}'`);
    }
  });
});
