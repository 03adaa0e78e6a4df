import { join } from 'node:path';
import { ExpectedFailure } from './expected-failure.js';
import { readJson, writeJson } from './json-file.js';
import { type Operator } from './operator.js';

/** A source and its key, which the banner's curl command shows. */
export interface DemoSource {
  readonly sourceIdentifier: string;
  readonly apiKey: string;
}

function parseSource(value: unknown): DemoSource | undefined {
  const { sourceIdentifier, apiKey } = (value ?? {}) as Partial<Record<keyof DemoSource, unknown>>;
  if (typeof sourceIdentifier !== 'string' || typeof apiKey !== 'string') return undefined;
  return { sourceIdentifier, apiKey };
}

async function isKnown({ sourceIdentifier }: DemoSource, operator: Operator): Promise<boolean> {
  try {
    await operator.run('sources', 'show', sourceIdentifier, '--json');
    return true;
  } catch {
    return false;
  }
}

/** Returns the source of an earlier start if the registry still has it, else a new one. Its key is kept on disk. */
export async function ensureDemoSource(dataDir: string, operator: Operator): Promise<DemoSource> {
  const file = join(dataDir, 'demo-source.json');
  const earlierSource = parseSource(readJson(file));
  if (earlierSource && (await isKnown(earlierSource, operator))) return earlierSource;

  const answer = await operator.run('sources', 'create', '--name', 'Demo shop', '--type', 'tracking-api', '--json');
  const created = parseSource(JSON.parse(answer));
  if (!created) throw new ExpectedFailure('`operator sources create` did not print a source and its key.');
  writeJson(file, created);
  return created;
}
