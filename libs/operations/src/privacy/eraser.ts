import { type ErasureState } from '@sluice/console-api';
import { deadLetterTopic, refusedTopic } from '@sluice/contracts';
import { type Kafka, readTimeToClear, type TopicBehind } from '@sluice/kafka';
import {
  parseSuppressionKey,
  type PrivacyKey,
  type SuppressionRegistry,
  type SuppressionWriter,
} from '@sluice/privacy';
import { closureOf, hasAdRequests, keyOf, TooManyIdsError } from './closure.js';
import { type Erasure, type SealedIds } from './erasure.js';
import { type ErasureChange, type ErasureStore } from './erasure-store.js';
import { inParallel } from './in-parallel.js';
import { type HashedPeople, type PersonId, peopleOf } from './people.js';
import { type TableOptions } from './person-tables.js';
import { behindPersonEnds, describeBehind, personDestinations, readPersonEnds } from './person-topics.js';
import { notInForce } from './processes-in-force.js';
import { countByKind, openIds, sealIds, subjectsOf } from './sealed-ids.js';
import { type TableServers } from './servers.js';

/** Servers that hold people, and stores of the requests about them. */
export interface PeoplePlaces {
  readonly kafka: Kafka;
  readonly key: PrivacyKey;
  readonly store: ErasureStore;
  readonly suppressions: { readonly registry: SuppressionRegistry; readonly writer: SuppressionWriter };
  readonly servers: TableServers;
  readonly tables: TableOptions;
}

/** Everything that an erasure works with. */
export interface ErasureWorld extends PeoplePlaces {
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
  private readonly held = new Set<string>();

  constructor(private readonly world: ErasureWorld) {}

  /** Continues erasures as far as possible now: until they can join a batch, or must wait for something. */
  async prepare(erasures: readonly Erasure[]): Promise<Erasure[]> {
    for (let at = [...erasures]; ;) {
      const next = await this.pass(at);
      if (next.every(({ state }, index) => state === at[index]?.state)) return next;
      at = next;
    }
  }

  private async pass(erasures: readonly Erasure[]): Promise<Erasure[]> {
    const written = await inParallel(erasures, (one) => this.suppress(one));
    const offset = written.reduce((max, one) => (isToSuppress(one) && offsetOf(one) > max ? offsetOf(one) : max), -1n);
    // 1. The suppressions are in force. 2. Ends that are read then lie behind all messages that came before.
    const reasons = offset < 0n ? [] : await notInForce(this.world, offset);
    const ends = written.some(({ state }) => state === 'resolved') ? await readPersonEnds(this.world.kafka) : {};
    const behind = new Map<string, Promise<readonly TopicBehind[]>>();
    return inParallel(written, async (one) => {
      if (isToSuppress(one)) return this.whenInForce(one, reasons);
      if (one.state === 'resolved') return this.reach(one, 'barrier', { ends });
      return one.state === 'barrier' ? this.awaitEnds(one, behind) : one;
    });
  }

  /** Suppresses the ids that were asked for, then those that belong to them. */
  private async suppress(erasure: Erasure): Promise<Erasure> {
    if (erasure.state === 'requested') {
      const { asked } = openIds(this.world.key, erasure);
      return erasure.suppressionOffset === undefined ? this.write(erasure, asked) : erasure;
    }
    return erasure.state === 'suppressed' ? this.resolve(erasure) : erasure;
  }

  /** Finds all ids of the person, and suppresses the new ones too. */
  private async resolve(erasure: Erasure): Promise<Erasure> {
    const { key, store, servers } = this.world;
    const sealed = openIds(key, erasure);
    this.held.delete(erasure.request);
    try {
      const { ids, othersDevices } = await closureOf(servers, sealed.asked, erasure.isReverse);
      const fresh = without(ids, sealed.ids);
      if (fresh.length === 0)
        return othersDevices === erasure.othersDevices ? erasure : await store.put(erasure, { othersDevices });
      const all: SealedIds = { ...sealed, ids: [...sealed.ids, ...fresh] };
      const written = await this.write(erasure, fresh);
      const change = { ids: countByKind(all.ids), othersDevices, sealed: sealIds(key, erasure.request, all) };
      return await store.put(written, change);
    } catch (error) {
      if (!(error instanceof TooManyIdsError)) throw error;
      this.held.add(erasure.request);
      return this.blocked(erasure, error.message);
    }
  }

  /** Makes an erasure ready when everything before the ends is stored and no further id of the person was found. */
  private async awaitEnds(erasure: Erasure, known: Map<string, Promise<readonly TopicBehind[]>>): Promise<Erasure> {
    const { ends = {} } = erasure;
    const name = JSON.stringify(ends);
    const asked = known.get(name) ?? behindPersonEnds(this.world.kafka, ends);
    known.set(name, asked);
    const behind = await asked;
    if (behind.length > 0) return this.blocked(erasure, `not stored yet: ${describeBehind(behind)}`);
    const sealed = openIds(this.world.key, erasure);
    const { ids } = await closureOf(this.world.servers, sealed.asked, erasure.isReverse);
    if (without(ids, sealed.ids).length > 0) return this.reach(erasure, 'suppressed');
    return erasure.problem === undefined ? erasure : this.world.store.put(erasure, { problem: undefined });
  }

  private async write(erasure: Erasure, ids: SealedIds['ids']): Promise<Erasure> {
    const { suppressions, store } = this.world;
    const { keys, offset } = await suppressions.writer.suppress(subjectsOf(ids), {
      mode: erasure.keepsSuppressed ? 'suppress' : 'erase',
      request: erasure.request,
      wasErased: true,
    });
    const all = [...new Set([...erasure.suppressions, ...keys])];
    const last = offset < 0n ? (erasure.suppressionOffset ?? '-1') : String(offset);
    return store.put(erasure, { suppressions: all, suppressionOffset: last });
  }

  /** Every gateway and consumer must know the suppression before anything is read or deleted. */
  private whenInForce(erasure: Erasure, reasons: readonly string[]): Promise<Erasure> | Erasure {
    if (reasons.length > 0) return this.blocked(erasure, reasons.join('; '));
    if (this.held.has(erasure.request)) return erasure;
    return this.reach(erasure, erasure.state === 'requested' ? 'suppressed' : 'resolved');
  }

  private reach(erasure: Erasure, state: ErasureState, change: ErasureChange = {}): Promise<Erasure> {
    const reached = { ...erasure.reached, [state]: new Date(this.world.now()).toISOString() };
    return this.world.store.put(erasure, { ...change, state, reached, problem: undefined });
  }

  private blocked(erasure: Erasure, problem: string): Promise<Erasure> | Erasure {
    return erasure.problem === problem ? erasure : this.world.store.put(erasure, { problem });
  }
}

const isToSuppress = ({ state }: Erasure): boolean => state === 'requested' || state === 'suppressed';
const offsetOf = ({ suppressionOffset }: Erasure): bigint => BigInt(suppressionOffset ?? -1);

function without(ids: readonly PersonId[], known: readonly PersonId[]): PersonId[] {
  const keys = new Set(known.map(keyOf));
  return ids.filter((one) => !keys.has(keyOf(one)));
}

/** Whether an erasure that was just prepared can join a batch. */
export const isReady = ({ state, problem }: Erasure): boolean => state === 'barrier' && problem === undefined;

/** The people of an erasure, as hashes; if it is done again, only their rows from before they came back. */
export function peopleIn(key: PrivacyKey, erasure: Erasure): HashedPeople[] {
  const before = erasure.until === undefined ? undefined : Date.parse(erasure.until);
  return peopleOf(openIds(key, erasure).ids, before);
}

/** Lifts the suppression of a verified erasure, unless it is kept: from `until` on the person counts as a new one. */
export async function lift({ suppressions, store, now }: ErasureWorld, erasure: Erasure): Promise<Erasure> {
  if (erasure.keepsSuppressed) return erasure;
  const at = erasure.until ?? new Date(now()).toISOString();
  const written = erasure.until === undefined ? await store.put(erasure, { until: at }) : erasure;
  // What was lifted before keeps its time: messages that came since are of the new person.
  const open = written.suppressions.filter(
    (one) => suppressions.registry.find(parseSuppressionKey(one))?.until === undefined,
  );
  await suppressions.writer.liftAt(open, Date.parse(at), erasure.request);
  return written;
}

/** When the last copies are gone: in Kafka, and in backups that were made before. */
export async function clearTimes({ kafka, backupDays, now }: ErasureWorld): Promise<NonNullable<Erasure['clearAt']>> {
  const topics = personDestinations.flatMap(({ topic }) => [topic, deadLetterTopic(topic)]);
  const times = await readTimeToClear(kafka, [...topics, refusedTopic.name, deadLetterTopic(refusedTopic.name)]);
  const maxMs = Math.max(0, ...times.values());
  const at = (ms: number): string => new Date(Math.min(now() + ms, 8.64e15)).toISOString();
  return { kafka: at(maxMs), backups: at(backupDays * dayMs) };
}

/** Why an erasure cannot be closed although Kafka is clear of it; undefined when it can. */
export async function reasonToStayOpen(
  { servers, tables }: ErasureWorld,
  { sources, reached, requestedAt }: Erasure,
): Promise<string | undefined> {
  if (tables.adRequestPaths.length > 0) return undefined;
  const before = Date.parse(reached.verified ?? requestedAt);
  if (!(await hasAdRequests(servers, [...sources, ''], before))) return undefined;
  return 'ad_requests has rows from before it: set PRIVACY_AD_REQUEST_PATHS, or TABLE_TTL_DAYS=ad_requests=30';
}
