import { parseArgs } from 'node:util';
import { ImportError } from './import-error.js';

export interface ImportOptions {
  readonly file: string;
  readonly apiHost: string;
  readonly sourceIdentifier: string;
  readonly apiKey: string;
  /** Requests at a time. */
  readonly parallel: number;
  /** Milliseconds without any progress after which the import ends; it can be continued. */
  readonly timeoutMs: number;
  readonly isRestart: boolean;
}

export const usage = `sluice import <file.ndjson> --host <url> --source <sourceIdentifier> [options]

Sends events and traits of the past to Sluice, with their timestamps. A line is a track message, or an identify
message, as JSON: {"userId":"u-1","event":"bought","properties":{"total":9.9},"timestamp":"2020-01-02T03:04:05Z"}.
The command can be interrupted and repeated: every line is stored once.

  --host      host of the service; SLUICE_HOST
  --source    identifier of the source; SLUICE_SOURCE
  --api-key   key of the source; SLUICE_API_KEY keeps it out of process lists
  --parallel  requests at a time, 1 to 64; 8 by default
  --timeout  seconds without progress after which it ends; 600 by default
  --restart   begin again: lines that are stored are not stored twice`;

/** @throws ImportError that says what is wrong with the arguments */
export function readImportOptions(args: readonly string[], env: NodeJS.ProcessEnv): ImportOptions {
  const text = { type: 'string' } as const;
  const { values, positionals } = rethrowAsImportError(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        host: text,
        source: text,
        'api-key': text,
        parallel: text,
        timeout: text,
        restart: { type: 'boolean' },
      },
    }),
  );
  const [file, ...otherFiles] = positionals;
  if (file === undefined || otherFiles.length > 0) throw new ImportError('one file is needed');
  return {
    file,
    apiHost: requireHost(requireOption('--host', values.host ?? env['SLUICE_HOST'])),
    sourceIdentifier: requireOption('--source', values.source ?? env['SLUICE_SOURCE']),
    apiKey: requireOption('--api-key or SLUICE_API_KEY', values['api-key'] ?? env['SLUICE_API_KEY']),
    parallel: requireCount('--parallel', values.parallel ?? '8', 64),
    timeoutMs: requireCount('--timeout', values.timeout ?? '600', 86_400) * 1_000,
    isRestart: values.restart === true,
  };
}

function rethrowAsImportError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ImportError((error as Error).message, { cause: error });
  }
}

function requireOption(name: string, value: string | undefined): string {
  if (value?.trim()) return value.trim();
  throw new ImportError(`${name} is needed`);
}

function requireHost(text: string): string {
  const url = /^https?:\/\//.test(text) ? text : `https://${text}`;
  if (URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new ImportError(`--host must be an http or https URL; it is '${text}'`);
}

function requireCount(name: string, text: string, max: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new ImportError(`${name} must be a whole number from 1 to ${max}; it is '${text}'`);
}
