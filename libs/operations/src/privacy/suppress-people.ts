import { type ClickHouseConfig } from '@sluice/clickhouse';
import { type Kafka, type KafkaConfig } from '@sluice/kafka';
import {
  type IdKind,
  keyOfId,
  type PrivacyConfig,
  type Subject,
  suppressedIdOf,
  SuppressionWriter,
} from '@sluice/privacy';
import { SourceError } from '@sluice/sources';
import { OperationError } from '../operation-error.js';
import { withKafka } from '../servers/with-kafka.js';
import { withSources } from '../sources/with-sources.js';
import { closureOf } from './closure.js';
import { withSuppressions } from './present-suppressions.js';
import { TableServers } from './servers.js';

/** Time to read the registries and to write up to a million records. */
const limitMs = 10 * 60_000;
/** Characters that are shown of a keyed hash: enough to find an id again in a list. */
const shownLength = 8;

/** Ids of people, in one source or in all. */
export interface People {
  /** Undefined for all sources. */
  readonly source?: string | undefined;
  readonly ids: readonly { readonly kind: IdKind; readonly id: string }[];
}

/** An id as it may be shown: it reveals nothing of a person. */
export interface ShownId {
  readonly source: string;
  readonly kind: IdKind;
  /** The first characters of the keyed hash. */
  readonly hash: string;
}

export interface SuppressionChange {
  readonly request: string;
  /** The ids whose record was written. */
  readonly changed: readonly ShownId[];
  /** Offset of the last record written to suppressions.v1, -1 for none. Processes whose metric has it apply it. */
  readonly offset: number;
}

type Config = KafkaConfig & PrivacyConfig;

/** Ids as an audit record and a log may name them. @throws OperationError without PRIVACY_KEY */
export const shownIds = ({ PRIVACY_KEY: key }: PrivacyConfig, { source = '*', ids }: People): ShownId[] => {
  if (!key) throw new OperationError('PRIVACY_KEY is not set; nothing was done');
  return ids.map(({ kind, id }) => ({ source, kind, hash: key.hash(kind, id).slice(0, shownLength) }));
};

/**
 * Drops all further messages of the ids at gateways and consumers until `unsuppressPeople`.
 * @param tables where the users' anonymous ids are found; without it, only the ids themselves count
 * @throws OperationError, SourceError
 */
export const suppressPeople = (
  config: Config,
  people: People,
  request: string,
  tables?: ClickHouseConfig,
): Promise<SuppressionChange> =>
  change({ config, people, request, tables }, (writer, subjects) =>
    writer.suppress(subjects, { mode: 'suppress', request }),
  );

/** Takes messages of the ids again. @param tables as in `suppressPeople` @throws OperationError, SourceError */
export const unsuppressPeople = (
  config: Config,
  people: People,
  request: string,
  tables?: ClickHouseConfig,
): Promise<SuppressionChange> =>
  change({ config, people, request, tables }, (writer, subjects) => writer.unsuppress(subjects));

interface Change {
  readonly config: Config;
  readonly people: People;
  readonly request: string;
  readonly tables: ClickHouseConfig | undefined;
}

function change(
  { config, people, request, tables }: Change,
  work: (writer: SuppressionWriter, subjects: readonly Subject[]) => ReturnType<SuppressionWriter['unsuppress']>,
): Promise<SuppressionChange> {
  const { PRIVACY_KEY: key } = config;
  if (!key) throw new OperationError('PRIVACY_KEY is not set; nothing was done');
  return withKafka(config, limitMs, async (kafka) => {
    const sources = await sourcesOf(kafka, config, people.source);
    const named = sources.flatMap((source) => people.ids.map((id) => ({ source, ...id })));
    const subjects = tables ? await withTied(tables, named) : named;
    return withSuppressions(kafka, config, async ({ registry }) => {
      const writer = new SuppressionWriter(kafka, registry, key);
      try {
        const { keys, offset } = await work(writer, subjects);
        const written = new Set(keys);
        const changed = subjects
          .map((subject) => suppressedIdOf(key, subject))
          .filter((id) => written.has(keyOfId(id)));
        const shown = changed.map(({ hash, ...id }) => ({ ...id, hash: hash.slice(0, shownLength) }));
        return { request, changed: shown, offset: Number(offset) };
      } finally {
        await writer.stop();
      }
    });
  });
}

/** The ids, and the anonymous ids of the users among them. */
async function withTied(config: ClickHouseConfig, named: readonly Subject[]): Promise<Subject[]> {
  const servers = new TableServers(config);
  try {
    const { ids } = await closureOf(servers, named, false);
    return ids.filter((one): one is Subject => one.kind !== 'seller');
  } finally {
    await servers.close();
  }
}

/** @throws SourceError when there is no such source. */
const sourcesOf = (kafka: Kafka, config: Config, source: string | undefined): Promise<string[]> =>
  withSources(kafka, config, (registry) => {
    const all = registry.list().map(({ sourceIdentifier }) => sourceIdentifier);
    if (source === undefined) return all;
    if (!all.includes(source)) throw new SourceError(`There is no source ${source}.`);
    return [source];
  });
