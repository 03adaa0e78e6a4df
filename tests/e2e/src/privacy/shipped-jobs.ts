import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Environment and arguments of a container of the operator, as it is shipped. */
export interface ShippedJob {
  /** Program and arguments; those of the image come first if only arguments are shipped. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** ENTRYPOINT of deploy/Dockerfile. */
const imageEntrypoint = ['node', 'main.mjs'];

interface Compose {
  services: Record<string, { entrypoint: string[]; environment: Record<string, string> }>;
}

/** The service of docker-compose.yml that carries erasures on, without variables that the shell of a user may set. */
export function composeJob(): ShippedJob {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8').replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
  const { services } = parse(text, { merge: true }) as Compose;
  const { entrypoint = [], environment = {} } = services['privacy'] ?? {};
  return { command: entrypoint.map((part) => part.replaceAll('$$', '$')), environment };
}

/** Helm, from the tools of `npm run check:deploy` or the path; undefined where it is not installed. */
export function findHelm(): string | undefined {
  const { CHECK_TOOLS, PATH = '' } = process.env;
  const folders = [...(CHECK_TOOLS === undefined ? [] : [join(CHECK_TOOLS, 'bin')]), ...PATH.split(delimiter)];
  return folders.map((folder) => join(folder, 'helm')).find((file) => existsSync(file));
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: { jobTemplate: { spec: { template: { spec: { containers: [Container] } } } } };
}
interface Container {
  command?: string[];
  args: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string } } }[];
}

/** The CronJob of the rendered chart that carries erasures on. A value from a secret is `secret <name>`. */
export function chartJob(helm: string): ShippedJob {
  const values = ['kafka.brokers={kafka:9092}', 'clickhouse.url=http://clickhouse:8123', 'privacy.keySecret=people'];
  const { stdout, stderr } = spawnSync(
    helm,
    [
      'template',
      'sluice',
      'deploy/helm/sluice',
      '--kube-version',
      '1.33.0',
      ...values.flatMap((value) => ['--set', value]),
    ],
    { cwd: root, encoding: 'utf8' },
  );
  if (stderr !== '') throw new Error(stderr);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest | null);
  const job = manifests.find((manifest) => manifest?.kind === 'CronJob' && manifest.metadata.name === 'sluice-privacy');
  if (!job) throw new Error('the chart has no CronJob sluice-privacy');
  const { command = imageEntrypoint, args, env } = job.spec.jobTemplate.spec.template.spec.containers[0];
  return {
    command: [...command, ...args],
    environment: Object.fromEntries(
      env.map(({ name, value, valueFrom }) => [name, value ?? `secret ${valueFrom?.secretKeyRef.name ?? ''}`]),
    ),
  };
}
