import { type CompactedRecord } from '@sluice/kafka';
import { type Activation } from './activation.js';
import { type JudgedPlan, buildJudgedPlan } from '../judge/judged-plan.js';
import { LivePlans } from './live-plans.js';
import { type Plan } from '../plan/plan.js';
import { planKey, parsePlanRecord, parsePlanKey, activationRecord } from './records.js';

/** A plan that judges, and the bytes that it was made of: the same bytes need not be read twice. */
interface ReadyPlan {
  readonly bytes: Buffer;
  readonly plan: JudgedPlan;
}

/** Plans of one source. They stay bytes: only the active ones are parsed. */
interface Entry {
  readonly plans: Map<number, Buffer>;
  activation: Activation | undefined;
  ready: Map<number, ReadyPlan>;
  live: LivePlans | undefined;
}

/** All plans of all sources, held in memory and fed with the records of `plans.v1`. */
export class PlanRegistry {
  private entries = new Map<string, Entry>();

  /** @param onError called with the error when a message cannot be judged; the message passes */
  constructor(private readonly onError: (error: unknown) => void = () => undefined) {}

  /** Applies a record. Throws and changes nothing when it is not a record of the plans. */
  apply(key: string, value: Buffer | null): void {
    if (value === null) {
      this.remove(key);
      return;
    }
    const record = parsePlanRecord(key, value);
    const entry = this.ensureEntry(record.source);
    if ('plan' in record) entry.plans.set(record.plan.version, value);
    else entry.activation = record.activation;
    this.refresh(entry);
  }

  /** Takes over the entries of the replacement, but keeps the ready plans of this registry. Both share the entries afterwards. */
  become(replacement: PlanRegistry): void {
    for (const [source, entry] of replacement.entries) {
      entry.ready = this.entries.get(source)?.ready ?? new Map<number, ReadyPlan>();
      this.refresh(entry);
    }
    this.entries = replacement.entries;
  }

  get isEmpty(): boolean {
    for (const { plans, activation } of this.entries.values()) if (plans.size > 0 || activation) return false;
    return true;
  }

  /** Records that rebuild this registry. */
  records(): CompactedRecord[] {
    return [...this.entries].flatMap(([source, { plans, activation }]) => [
      ...[...plans].map(([version, value]) => ({ key: planKey(source, version), value })),
      ...(activation ? [activationRecord(source, activation)] : []),
    ]);
  }

  /** Sources that have a plan. */
  sources(): string[] {
    return [...this.entries].filter(([, { plans }]) => plans.size > 0).map(([source]) => source);
  }

  plan(source: string, version: number): Plan | undefined {
    const bytes = this.entries.get(source)?.plans.get(version);
    return bytes && parsePlanBytes(bytes);
  }

  /** Plans of the source, oldest first. */
  listPlans(source: string): Plan[] {
    const plans = [...(this.entries.get(source)?.plans ?? [])].sort(([a], [b]) => a - b);
    return plans.map(([, bytes]) => parsePlanBytes(bytes));
  }

  activation(source: string): Activation | undefined {
    return this.entries.get(source)?.activation;
  }

  /** The active plans of the source; undefined when there are none, so that its messages are not judged. */
  live(source: string): LivePlans | undefined {
    return this.entries.get(source)?.live;
  }

  private remove(key: string): void {
    const { source, version } = parsePlanKey(key);
    const entry = this.entries.get(source);
    if (!entry) return;
    if (version === undefined) entry.activation = undefined;
    else entry.plans.delete(version);
    if (entry.plans.size === 0 && !entry.activation) this.entries.delete(source);
    else this.refresh(entry);
  }

  /** Makes the active plans ready, and drops the ready ones that are no longer active. */
  private refresh(entry: Entry): void {
    const { activation } = entry;
    const before = entry.ready;
    entry.ready = new Map();
    entry.live = activation && this.buildLive(entry, activation, before);
  }

  private buildLive(entry: Entry, activation: Activation, before: Entry['ready']): LivePlans | undefined {
    const { candidate } = activation;
    const candidates = candidate === undefined ? [] : readyPlans(entry, [candidate], before);
    const plans = readyPlans(entry, activation.versions, before);
    if (plans.length + candidates.length === 0) return undefined;
    const observed = candidates.length > 0 ? new LivePlans(candidates, { mode: 'observe' }, this.onError) : undefined;
    return new LivePlans(plans, activation, this.onError, observed);
  }

  private ensureEntry(source: string): Entry {
    const existing = this.entries.get(source);
    if (existing) return existing;
    const entry: Entry = { plans: new Map(), activation: undefined, ready: new Map(), live: undefined };
    this.entries.set(source, entry);
    return entry;
  }
}

/** The bytes were checked when their record was applied. */
const parsePlanBytes = (bytes: Buffer): Plan => JSON.parse(bytes.toString()) as Plan;

/** Plans of the given versions; versions that the source lacks are left out. */
function readyPlans(entry: Entry, versions: readonly number[], before: Entry['ready']): JudgedPlan[] {
  return versions.flatMap((version) => {
    const bytes = entry.plans.get(version);
    if (!bytes) return [];
    const readyBefore = before.get(version);
    const ready = readyBefore?.bytes.equals(bytes)
      ? readyBefore
      : { bytes, plan: buildJudgedPlan(parsePlanBytes(bytes)) };
    entry.ready.set(version, ready);
    return [ready.plan];
  });
}
