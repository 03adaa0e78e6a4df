import { isDeepStrictEqual } from 'node:util';
import {
  type CompactedRecord,
  ensureCompactedTopic,
  type Kafka,
  type KafkaConfig,
  writeCompacted,
} from '@sluice/kafka';
import { type Activation, maxLiveVersions } from './activation.js';
import { type Plan } from '../plan/plan.js';
import { plansTopic, activationRecord, planRecord } from './records.js';
import { type PlanRegistry } from './registry.js';

/** The registry of plans does not allow the change; the message gives the reason. */
export class PlanChangeError extends Error {
  override readonly name = 'PlanChangeError';
}

/** Creates the topic of the plans if it does not exist. */
export const ensurePlansTopic = (kafka: Kafka, config: KafkaConfig): Promise<string[]> =>
  ensureCompactedTopic(kafka, config, plansTopic);

/** Records that an import of a plan would write. */
export interface PlanImport {
  readonly records: readonly CompactedRecord[];
  /** Sources that lack this version. */
  readonly created: readonly string[];
  /** Sources that have it as it is. */
  readonly unchanged: readonly string[];
}

/** Compares a plan with the registry. @throws PlanChangeError when the version exists with other content. */
export function preparePlanImport(registry: PlanRegistry, plan: Plan): PlanImport {
  const [created, unchanged]: [string[], string[]] = [[], []];
  for (const source of plan.sources) {
    const present = registry.plan(source, plan.version);
    if (present === undefined) created.push(source);
    else if (isDeepStrictEqual(present, plan)) unchanged.push(source);
    else {
      throw new PlanChangeError(
        `Source ${source} has version ${plan.version} with other content, and a version never changes: ` +
          `give the plan the version ${nextVersion(registry, plan.sources)}.`,
      );
    }
  }
  return { records: created.map((source) => planRecord(source, plan)), created, unchanged };
}

/** The first version that none of the sources has. */
export function nextVersion(registry: PlanRegistry, sources: readonly string[]): number {
  const versions = sources.flatMap((source) => registry.listPlans(source).map(({ version }) => version));
  return Math.max(0, ...versions) + 1;
}

/** Changes plans. It is given the current registry to check against. */
export class PlanWriter {
  constructor(
    private readonly kafka: Kafka,
    private readonly registry: PlanRegistry,
  ) {}

  async import({ records }: PlanImport): Promise<void> {
    for (const record of records) await this.write(record);
  }

  /** Makes versions the active ones of a source. @throws PlanChangeError for too many versions, or one it lacks. */
  async activate(source: string, change: Pick<Activation, 'versions' | 'mode' | 'candidate'>): Promise<Activation> {
    const activation = this.buildActivation(source, change);
    await this.write(activationRecord(source, activation));
    return activation;
  }

  /** Ends the judging of messages of a source. Its plans stay. */
  async deactivate(source: string): Promise<void> {
    if (!this.registry.activation(source)) throw new PlanChangeError(`Source ${source} has no active plan.`);
    await this.write({ key: source, value: null });
  }

  private buildActivation(
    source: string,
    { versions, mode, candidate }: Pick<Activation, 'versions' | 'mode' | 'candidate'>,
  ): Activation {
    const liveVersions = [...new Set(versions)].sort((a, b) => b - a);
    if (liveVersions.length > maxLiveVersions)
      throw new PlanChangeError(`At most ${maxLiveVersions} versions can be active at once.`);
    for (const version of [...liveVersions, ...(candidate === undefined ? [] : [candidate])]) {
      if (!this.registry.plan(source, version))
        throw new PlanChangeError(`Source ${source} has no plan of version ${version}.`);
    }
    const before = this.registry.activation(source);
    const now = new Date().toISOString();
    if (candidate === undefined) return { versions: liveVersions, mode, activatedAt: now };
    const candidateSince = before?.candidate === candidate ? (before.candidateSince ?? now) : now;
    return { versions: liveVersions, mode, candidate, activatedAt: now, candidateSince };
  }

  /** Resolves when the record is durable and also in the registry this writer checks against. */
  private async write(record: CompactedRecord): Promise<void> {
    await writeCompacted(this.kafka, plansTopic, record);
    this.registry.apply(record.key, record.value);
  }
}
