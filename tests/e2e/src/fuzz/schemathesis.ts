import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { basicAuthorization } from '../segment/write-key.js';

const run = promisify(execFile);
const version = '4.32.5';
const cache = fileURLToPath(new URL('../../../../.cache', import.meta.url));

/** Values that Schemathesis cannot invent: existing sources with their keys, and a valid token. */
export interface KnownCredentials {
  readonly sourceIdentifier: string;
  readonly apiKey: string;
  readonly token: string;
  /** Key of a source that takes clients of Segment. */
  readonly writeKey: string;
}

export interface FuzzRun {
  readonly exitCode: number;
  readonly report: string;
}

/** Installs Schemathesis from PyPI. Returns its virtual environment's folder; undefined without Python 3 and venv. */
export async function installSchemathesis(): Promise<string | undefined> {
  const folder = join(cache, `schemathesis-${version}`);
  const installedMark = join(folder, 'installed');
  if (existsSync(installedMark)) return folder;
  await mkdir(cache, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`]);
  await writeFile(`${installedMark}.new`, version);
  await rename(`${installedMark}.new`, installedMark);
  return folder;
}

/** Tests all operations of the gateway's OpenAPI document. Writes the config file into `workFolder`. */
export async function runSchemathesis(
  installed: string,
  workFolder: string,
  gatewayUrl: string,
  credentials: KnownCredentials,
  { examples, seed }: { examples: number; seed: number },
): Promise<FuzzRun> {
  const config = join(workFolder, 'schemathesis.toml');
  await writeFile(config, formatConfig(credentials), { mode: 0o600 });
  const options = [
    '--phases',
    'examples,coverage,fuzzing',
    '--max-examples',
    String(examples),
    '--seed',
    String(seed),
    '--suppress-health-check',
    'all',
    '--continue-on-failure',
    '--no-color',
    '--output-sanitize',
    'true',
  ];
  const args = ['--config-file', config, 'run', `${gatewayUrl}/openapi.json`, ...options];
  try {
    const { stdout } = await run(join(installed, 'bin', 'schemathesis'), args, {
      cwd: workFolder,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { exitCode: 0, report: stdout };
  } catch (error) {
    const { code, stdout = '' } = error as { code?: number; stdout?: string };
    return { exitCode: code ?? -1, report: stdout };
  }
}

const formatConfig = ({ sourceIdentifier, apiKey, token, writeKey }: KnownCredentials): string =>
  [
    `headers = { Authorization = "Bearer ${apiKey}" }`,
    '[parameters]',
    `"path.sourceIdentifier" = "${sourceIdentifier}"`,
    `"path.writeKey" = "${writeKey}"`,
    `"query.token" = "${token}"`,
    // A body or path that violates its schema can also be too large.
    '[checks.negative_data_rejection]',
    'expected-statuses = ["400", "401", "403", "404", "405", "413", "415", "417", "431"]',
    // The document says two rules in words alone, for generators of clients: the names within nested objects of
    // properties and traits, and the nine digits of a price after the point.
    '[[operations]]',
    'include-path-regex = "/sdk/.*/(track|identify)(Batch)?$|/productVariant$"',
    'checks.positive_data_acceptance.enabled = false',
    // A call of a client of Segment that violates its schema is taken and kept (docs/segment.md).
    '[[operations]]',
    'include-path-regex = "^/(v1|s)/"',
    `headers = { Authorization = "${basicAuthorization({ writeKey })}" }`,
    'checks.negative_data_rejection.enabled = false',
  ].join('\n');
