import { type ErasureState } from '@sluice/console-api';
import { deadLetterTopic, refusedTopic } from '@sluice/contracts';
import { type Kafka, readTimeToClear, type TopicBehind } from '@sluice/kafka';
import {
  parseSuppressionKey,
  type PrivacyKey,
  type SuppressionRegistry,
  type SuppressionWriter,
} from '@sluice/privacy';
import { findClosure, hasAdRequests, personIdKey, TooManyIdsError } from './closure.js';
import { type Erasure, type SealedIds } from './erasure.js';
import { type ErasureChange, type ErasureStore } from './erasure-store.js';
import { inParallel } from './in-parallel.js';
import { type HashedPeople, type PersonId, hashPeople } from './people.js';
import { type TableOptions } from './person-tables.js';
import { readBehindPersonEnds, describeBehind, personDestinations, readPersonEnds } from './person-topics.js';
import { listNotInForce } from './processes-in-force.js';
import { countByKind, openIds, sealIds, toSubjects } from './sealed-ids.js';
import { type TableServers } from './servers.js';

/** Servers that hold people, and stores of the requests about them. */
export interface PeopleStores {
  readonly kafka: Kafka;
  readonly key: PrivacyKey;
  readonly store: ErasureStore;
  readonly suppressions: { readonly registry: SuppressionRegistry; readonly writer: SuppressionWriter };
  readonly servers: TableServers;
  readonly tables: TableOptions;
}

/** Everything that an erasure works with. */
export interface ErasureResources extends PeopleStores {
  /** Addresses of /metrics of all gateways; consumers may be left out, and are then trusted to follow. */
  readonly gateways: readonly string[];
  readonly consumers: readonly string[];
  /** Days for which a backup of ClickHouse is kept. */
  readonly backupDays: number;
  /** Time after which an INSERT that was under way when the suppression came into force has ended. */
  readonly verifyAfterMs: number;
  readonly now: () => number;
}

const dayMs = 24 * 60 * 60_000;

/** Takes erasures through the states before the deletion, side by side: processes and topics are asked once for all. */
export class Eraser {
  /** Requests about people with implausibly many ids. */
  private readonly implausibleRequests = new Set<string>();

  constructor(private readonly resources: ErasureResources) {}

  /** Continues erasures as far as possible now: until they can join a batch, or must wait for something. */
  async prepare(erasures: readonly Erasure[]): Promise<Erasure[]> {
    for (let current = [...erasures]; ;) {
      const advanced = await this.advance(current);
      if (advanced.every(({ state }, index) => state === current[index]?.state)) return advanced;
      current = advanced;
    }
  }

  private async advance(erasures: readonly Erasure[]): Promise<Erasure[]> {
    const updated = await inParallel(erasures, (erasure) => this.suppress(erasure));
    const offset = updated.reduce(
      (max, erasure) => (isToSuppress(erasure) && parseOffset(erasure) > max ? parseOffset(erasure) : max),
      -1n,
    );
    // 1. The suppressions are in force. 2. Ends that are read then lie behind all messages that came before.
    const reasons = offset < 0n ? [] : await listNotInForce(this.resources, offset);
    const ends = updated.some(({ state }) => state === 'resolved') ? await readPersonEnds(this.resources.kafka) : {};
    const backlogs = new Map<string, Promise<readonly TopicBehind[]>>();
    return inParallel(updated, async (erasure) => {
      if (isToSuppress(erasure)) return this.reachInForce(erasure, reasons);
      if (erasure.state === 'resolved') return this.reach(erasure, 'barrier', { ends });
      return erasure.state === 'barrier' ? this.awaitEnds(erasure, backlogs) : erasure;
    });
  }

  /** Suppresses the named ids, then the ids that belong to the same person. */
  private async suppress(erasure: Erasure): Promise<Erasure> {
    if (erasure.state === 'requested') {
      const { asked: namedIds } = openIds(this.resources.key, erasure);
      return erasure.suppressionOffset === undefined ? this.suppressIds(erasure, namedIds) : erasure;
    }
    return erasure.state === 'suppressed' ? this.resolve(erasure) : erasure;
  }

  /** Finds all ids of the person, and suppresses the new ones too. */
  private async resolve(erasure: Erasure): Promise<Erasure> {
    const { key, store, servers } = this.resources;
    const contents = openIds(key, erasure);
    this.implausibleRequests.delete(erasure.request);
    try {
      const { ids, othersDevices } = await findClosure(servers, contents.asked, erasure.isReverse);
      const newIds = excludeIds(ids, contents.ids);
      if (newIds.length === 0)
        return othersDevices === erasure.othersDevices ? erasure : await store.put(erasure, { othersDevices });
      const newContents: SealedIds = { ...contents, ids: [...contents.ids, ...newIds] };
      const suppressedErasure = await this.suppressIds(erasure, newIds);
      const change = {
        ids: countByKind(newContents.ids),
        othersDevices,
        sealed: sealIds(key, erasure.request, newContents),
      };
      return await store.put(suppressedErasure, change);
    } catch (error) {
      if (!(error instanceof TooManyIdsError)) throw error;
      this.implausibleRequests.add(erasure.request);
      return this.recordProblem(erasure, error.message);
    }
  }

  /** Makes an erasure ready when everything before the ends is stored and no further id of the person was found. */
  private async awaitEnds(erasure: Erasure, backlogs: Map<string, Promise<readonly TopicBehind[]>>): Promise<Erasure> {
    const { ends = {} } = erasure;
    const endsKey = JSON.stringify(ends);
    const reading = backlogs.get(endsKey) ?? readBehindPersonEnds(this.resources.kafka, ends);
    backlogs.set(endsKey, reading);
    const backlog = await reading;
    if (backlog.length > 0) return this.recordProblem(erasure, `not stored yet: ${describeBehind(backlog)}`);
    const contents = openIds(this.resources.key, erasure);
    const { ids } = await findClosure(this.resources.servers, contents.asked, erasure.isReverse);
    if (excludeIds(ids, contents.ids).length > 0) return this.reach(erasure, 'suppressed');
    return erasure.problem === undefined ? erasure : this.resources.store.put(erasure, { problem: undefined });
  }

  private async suppressIds(erasure: Erasure, ids: SealedIds['ids']): Promise<Erasure> {
    const { suppressions, store } = this.resources;
    const { keys, offset } = await suppressions.writer.suppress(toSubjects(ids), {
      mode: erasure.keepsSuppressed ? 'suppress' : 'erase',
      request: erasure.request,
      wasErased: true,
    });
    const suppressionKeys = [...new Set([...erasure.suppressions, ...keys])];
    const lastOffset = offset < 0n ? (erasure.suppressionOffset ?? '-1') : String(offset);
    return store.put(erasure, { suppressions: suppressionKeys, suppressionOffset: lastOffset });
  }

  /** Every gateway and consumer must know the suppression before anything is read or deleted. */
  private reachInForce(erasure: Erasure, reasons: readonly string[]): Promise<Erasure> | Erasure {
    if (reasons.length > 0) return this.recordProblem(erasure, reasons.join('; '));
    if (this.implausibleRequests.has(erasure.request)) return erasure;
    return this.reach(erasure, erasure.state === 'requested' ? 'suppressed' : 'resolved');
  }

  private reach(erasure: Erasure, state: ErasureState, change: ErasureChange = {}): Promise<Erasure> {
    const reached = { ...erasure.reached, [state]: new Date(this.resources.now()).toISOString() };
    return this.resources.store.put(erasure, { ...change, state, reached, problem: undefined });
  }

  private recordProblem(erasure: Erasure, problem: string): Promise<Erasure> | Erasure {
    return erasure.problem === problem ? erasure : this.resources.store.put(erasure, { problem });
  }
}

const isToSuppress = ({ state }: Erasure): boolean => state === 'requested' || state === 'suppressed';
const parseOffset = ({ suppressionOffset }: Erasure): bigint => BigInt(suppressionOffset ?? -1);

function excludeIds(ids: readonly PersonId[], excluded: readonly PersonId[]): PersonId[] {
  const keys = new Set(excluded.map(personIdKey));
  return ids.filter((id) => !keys.has(personIdKey(id)));
}

/** True if an erasure that was just prepared can join a batch. */
export const isReady = ({ state, problem }: Erasure): boolean => state === 'barrier' && problem === undefined;

/** The people of an erasure, as hashes; if the erasure is repeated, only rows from before their return count. */
export function erasurePeople(key: PrivacyKey, erasure: Erasure): HashedPeople[] {
  const before = erasure.until === undefined ? undefined : Date.parse(erasure.until);
  return hashPeople(openIds(key, erasure).ids, before);
}

/** Lifts the suppression of a verified erasure, unless it is kept: from `until` on the person counts as a new one. */
export async function liftSuppression(
  { suppressions, store, now }: ErasureResources,
  erasure: Erasure,
): Promise<Erasure> {
  if (erasure.keepsSuppressed) return erasure;
  const liftTime = erasure.until ?? new Date(now()).toISOString();
  const lifted = erasure.until === undefined ? await store.put(erasure, { until: liftTime }) : erasure;
  // Suppressions that were lifted before keep their time: messages that came since are of the new person.
  const openSuppressions = lifted.suppressions.filter(
    (suppression) => suppressions.registry.find(parseSuppressionKey(suppression))?.until === undefined,
  );
  await suppressions.writer.liftAt(openSuppressions, Date.parse(liftTime), erasure.request);
  return lifted;
}

/** Times at which the last copies are gone: from Kafka, and from backups that were made before. */
export async function clearTimes({
  kafka,
  backupDays,
  now,
}: ErasureResources): Promise<NonNullable<Erasure['clearAt']>> {
  const topics = personDestinations.flatMap(({ topic }) => [topic, deadLetterTopic(topic)]);
  const times = await readTimeToClear(kafka, [...topics, refusedTopic.name, deadLetterTopic(refusedTopic.name)]);
  const maxMs = Math.max(0, ...times.values());
  const isoTimeAfter = (ms: number): string => new Date(Math.min(now() + ms, 8.64e15)).toISOString();
  return { kafka: isoTimeAfter(maxMs), backups: isoTimeAfter(backupDays * dayMs) };
}

/** Reason why an erasure cannot be closed although Kafka is clear of it; undefined when it can. */
export async function reasonToStayOpen(
  { servers, tables }: ErasureResources,
  { sources, reached, requestedAt }: Erasure,
): Promise<string | undefined> {
  if (tables.adRequestPaths.length > 0) return undefined;
  const before = Date.parse(reached.verified ?? requestedAt);
  if (!(await hasAdRequests(servers, [...sources, ''], before))) return undefined;
  return 'ad_requests has rows from before it: set PRIVACY_AD_REQUEST_PATHS, or TABLE_TTL_DAYS=ad_requests=30';
}
