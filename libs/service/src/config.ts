import {
  type CleanedEnv,
  customCleanEnv,
  EnvMissingError,
  makeValidator,
  port,
  str,
  type ValidatorSpec,
} from 'envalid';
import { FollowedFile } from './followed-file.js';

/** The environment variables of an app: envalid validators with a `desc` each, by name. */
export type Variables = Record<string, ValidatorSpec<unknown>>;
export type Config<V> = Readonly<Omit<CleanedEnv<V>, 'isDev' | 'isDevelopment' | 'isProd' | 'isProduction' | 'isTest'>>;

/** The operator's settings prevent the start. The message says what to change, so no stack trace is needed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** @param problems one `NAME: reason` per bad variable; the message lists all of them */
  static fromProblems(problems: readonly string[]): ConfigError {
    return new ConfigError(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** A comma-separated list of at least one entry: `kafka-1:9092,kafka-2:9092`. */
export const list = makeValidator<string[]>((input) => {
  const entries = input.split(',').map((entry) => entry.trim());
  if (entries.some((entry) => entry === '')) throw new TypeError('must be a comma-separated list without blanks');
  return entries;
});

/** A whole number of at least 1. */
export const positiveInteger = makeValidator<number>((input) => {
  if (!/^[1-9]\d{0,14}$/.test(input)) throw new TypeError(`must be a whole number of at least 1, is "${input}"`);
  return Number(input);
});

/** A whole number of at least 0. */
export const wholeNumber = makeValidator<number>((input) => {
  if (!/^(0|[1-9]\d{0,14})$/.test(input)) throw new TypeError(`must be a whole number of at least 0, is "${input}"`);
  return Number(input);
});

/** A number from 0 to 1. */
const share = makeValidator<number>((input) => {
  const number = input.trim() === '' ? NaN : Number(input);
  if (!(number >= 0 && number <= 1)) throw new TypeError(`must be a number from 0 to 1, is "${input}"`);
  return number;
});

function openFile(path: string): FollowedFile {
  try {
    return new FollowedFile(path);
  } catch (error) {
    throw new TypeError(`cannot be read from "${path}": ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`, {
      cause: error,
    });
  }
}

/** The path of a file that is read again at each use, such as a certificate, which is renewed under the same name. */
export const followedFile = makeValidator<FollowedFile>(openFile);

/**
 * The path of a file; the value is its content at the start, without the newline at its end. For passwords that are
 * mounted as files. A changed file takes effect at the next start.
 */
export const fileContent = makeValidator<string>((path) => openFile(path).content);

/** Condition for `requiredWhen`: at least one of the named variables is set. */
export const anySet =
  (...names: readonly string[]) =>
  (config: Record<string, unknown>): boolean =>
    names.some((name) => config[name] !== undefined);

/** Variables of every app. */
export const serviceVariables = {
  LOG_LEVEL: str({
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
    default: 'info',
    desc: 'Least severe log line that is written',
  }),
  MANAGEMENT_HOST: str({ default: '0.0.0.0', desc: 'Address of /health and /metrics' }),
  MANAGEMENT_PORT: port({ default: 9000, desc: 'Port of /health/live, /health/ready and /metrics' }),
  STOP_TIMEOUT_MS: positiveInteger({
    default: 20_000,
    desc: 'A graceful stop that takes longer ends the process anyway',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: str({
    default: '',
    desc: 'Where traces go by OTLP over HTTP, such as http://collector:4318; none when empty. The other OTEL_EXPORTER_OTLP_* are read too',
  }),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: followedFile({
    default: undefined,
    desc: 'File with headers for that address, such as an authorization: one name=value a line. It is read again for each export',
  }),
  OTEL_TRACES_SAMPLER_ARG: share({
    default: 1,
    desc: 'Share of the traces that begin here, 0 to 1; those of clients are kept as they decided',
  }),
};
export type ServiceConfig = Config<typeof serviceVariables>;

/**
 * Reads an app's environment into one typed, frozen value; only `topicPrefix` reads it elsewhere. An override replaces
 * the variable of its name. An empty variable counts as not set, because compose files and charts pass empty ones.
 * @throws ConfigError that names every missing or invalid variable at once.
 */
export function readConfig<V extends Variables>(variables: V, overrides: NodeJS.ProcessEnv = {}): Config<V> {
  const set = Object.entries({ ...process.env, ...overrides }).filter(([, value]) => value !== '');
  return customCleanEnv(Object.fromEntries(set), variables, (config) => config, {
    reporter: ({ errors }) => {
      const problems = Object.entries<Error | undefined>(errors).map(
        ([name, error]) => `${name}: ${describeError(error)}`,
      );
      if (problems.length > 0) throw ConfigError.fromProblems(problems);
    },
  });
}

function describeError(error: Error | undefined): string {
  const message = error?.message.trim() ?? '';
  return error instanceof EnvMissingError ? `is required. ${message}` : message;
}
