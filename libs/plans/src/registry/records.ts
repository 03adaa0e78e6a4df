import { withTopicPrefix } from '@sluice/contracts';
import { type CompactedRecord } from '@sluice/kafka';
import { type Activation, maxLiveVersions } from './activation.js';
import { isPlanMode, isPlanVersion, isSourceIdentifier, parsePlan } from '../plan/parse-plan.js';
import { type Plan } from '../plan/plan.js';

/** The compacted topic of the plans: a record per version of a source, and one per source that says what is active. */
export const plansTopic = withTopicPrefix('plans.v1');

export type PlanRecord =
  { readonly source: string; readonly plan: Plan } | { readonly source: string; readonly activation: Activation };

export const planKey = (source: string, version: number): string => `${source}:${version}`;

export const planRecord = (source: string, plan: Plan): CompactedRecord => ({
  key: planKey(source, plan.version),
  value: Buffer.from(JSON.stringify(plan)),
});

export const activationRecord = (source: string, activation: Activation): CompactedRecord => ({
  key: source,
  value: Buffer.from(JSON.stringify(activation)),
});

/** The source and version that a key names; no version for a record that says what is active. @throws TypeError */
export function parsePlanKey(key: string): { source: string; version?: number } {
  const [source = '', version, ...extraParts] = key.split(':');
  if (!isSourceIdentifier(source) || extraParts.length > 0) throw new TypeError('not the key of a plan');
  if (version === undefined) return { source };
  if (!/^\d{1,10}$/.test(version) || !isPlanVersion(Number(version))) throw new TypeError('not a version of a plan');
  return { source, version: Number(version) };
}

/** @throws when the bytes are not the record of the key; a PlanError when they are JSON but not a plan. */
export function parsePlanRecord(key: string, value: Buffer): PlanRecord {
  const { source, version } = parsePlanKey(key);
  const content: unknown = JSON.parse(value.toString());
  if (version === undefined) return { source, activation: parseActivation(content) };
  const plan = parsePlan(content);
  if (plan.version !== version) throw new TypeError('a plan under the key of another version');
  return { source, plan };
}

/** Ignores members that a later version may have added. @throws TypeError */
function parseActivation(value: unknown): Activation {
  const { versions, mode, candidate, activatedAt, candidateSince } = (value ?? {}) as Record<string, unknown>;
  const isRight =
    areVersions(versions) &&
    isPlanMode(mode) &&
    (candidate === undefined || isPlanVersion(candidate)) &&
    typeof activatedAt === 'string' &&
    (candidateSince === undefined || typeof candidateSince === 'string');
  if (!isRight) throw new TypeError('does not say which plans are active');
  return {
    versions: [...versions].sort((a, b) => b - a),
    mode,
    ...(candidate !== undefined && { candidate }),
    activatedAt,
    ...(candidateSince !== undefined && { candidateSince }),
  };
}

/** The list may be empty: then there is only a candidate. */
const areVersions = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length <= maxLiveVersions && value.every(isPlanVersion);
