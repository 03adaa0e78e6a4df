import { type ClickHouseConfig } from '@sluice/clickhouse';
import { type Kafka, type KafkaConfig } from '@sluice/kafka';
import {
  type IdKind,
  suppressionKey,
  type PrivacyConfig,
  type Subject,
  toSuppressedId,
  SuppressionWriter,
} from '@sluice/privacy';
import { SourceError } from '@sluice/sources';
import { OperationError } from '../operation-error.js';
import { withKafka } from '../servers/with-kafka.js';
import { withSources } from '../sources/with-sources.js';
import { findClosure, personIdKey } from './closure.js';
import { withSuppressions } from './present-suppressions.js';
import { TableServers } from './servers.js';

/** Time to read the registries and to write up to a million records. */
const limitMs = 10 * 60_000;
/** Characters that are shown of a keyed hash: enough to find an id again in a list. */
const shownLength = 8;

/** Ids of people, in one source or in all. */
export interface NamedPeople {
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
  /** Offset of the last record written to suppressions.v1, -1 for none. Processes whose metric has reached it apply it. */
  readonly offset: number;
}

type Config = KafkaConfig & PrivacyConfig;

/** Ids as an audit record and a log may name them. @throws OperationError without PRIVACY_KEY */
export const makeShownIds = ({ PRIVACY_KEY: key }: PrivacyConfig, { source = '*', ids }: NamedPeople): ShownId[] => {
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
  people: NamedPeople,
  request: string,
  tables?: ClickHouseConfig,
): Promise<SuppressionChange> =>
  changeSuppressions({ config, people, request, tables }, (writer, subjects) =>
    writer.suppress(subjects, { mode: 'suppress', request }),
  );

/** Takes messages of the ids again. @param tables as in `suppressPeople` @throws OperationError, SourceError */
export const unsuppressPeople = (
  config: Config,
  people: NamedPeople,
  request: string,
  tables?: ClickHouseConfig,
): Promise<SuppressionChange> =>
  changeSuppressions({ config, people, request, tables }, (writer, subjects) => writer.unsuppress(subjects));

interface Change {
  readonly config: Config;
  readonly people: NamedPeople;
  readonly request: string;
  readonly tables: ClickHouseConfig | undefined;
}

function changeSuppressions(
  { config, people, request, tables }: Change,
  work: (writer: SuppressionWriter, subjects: readonly Subject[]) => ReturnType<SuppressionWriter['unsuppress']>,
): Promise<SuppressionChange> {
  const { PRIVACY_KEY: key } = config;
  if (!key) throw new OperationError('PRIVACY_KEY is not set; nothing was done');
  return withKafka(config, limitMs, async (kafka) => {
    const sources = await requireSources(kafka, config, people.source);
    const namedSubjects = sources.flatMap((source) => people.ids.map((id) => ({ source, ...id })));
    return withSuppressions(kafka, config, async ({ registry }) => {
      const writer = new SuppressionWriter(kafka, registry, key);
      try {
        // 1. The ids that were named, which need no table: ClickHouse may be slow, or down.
        const namedChange = await work(writer, namedSubjects);
        // 2. The ids that belong to the same people.
        const tiedSubjects = tables ? await findTied(tables, namedSubjects) : [];
        const tiedChange = tiedSubjects.length > 0 ? await work(writer, tiedSubjects) : namedChange;
        const { offset } = tiedChange.keys.length > 0 ? tiedChange : namedChange;
        const writtenKeys = new Set([...namedChange.keys, ...tiedChange.keys]);
        const changed = [...namedSubjects, ...tiedSubjects]
          .map((subject) => toSuppressedId(key, subject))
          .filter((id) => writtenKeys.has(suppressionKey(id)));
        const changedIds = changed.map(({ hash, ...id }) => ({ ...id, hash: hash.slice(0, shownLength) }));
        return { request, changed: changedIds, offset: Number(offset) };
      } finally {
        await writer.stop();
      }
    });
  });
}

const maxQuestionSeconds = 120;

/** The anonymous ids of the users among these ids, without those that are named themselves. */
async function findTied(config: ClickHouseConfig, subjects: readonly Subject[]): Promise<Subject[]> {
  const servers = new TableServers(config, { maxSeconds: maxQuestionSeconds });
  try {
    const { ids } = await findClosure(servers, subjects, false);
    const subjectKeys = new Set(subjects.map((subject) => personIdKey(subject)));
    return ids.filter((id): id is Subject => id.kind !== 'seller' && !subjectKeys.has(personIdKey(id)));
  } finally {
    await servers.close();
  }
}

/** @throws SourceError when there is no such source. */
const requireSources = (kafka: Kafka, config: Config, source: string | undefined): Promise<string[]> =>
  withSources(kafka, config, (registry) => {
    const identifiers = registry.list().map(({ sourceIdentifier }) => sourceIdentifier);
    if (source === undefined) return identifiers;
    if (!identifiers.includes(source)) throw new SourceError(`There is no source ${source}.`);
    return [source];
  });
