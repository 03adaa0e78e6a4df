import {
  type ActivationPreview,
  type ComparedEvent,
  type Observation,
  type StoredVerdicts,
  violatingShare,
} from '@sluice/operations';
import { type Activation, type Plan, type PlanDifference } from '@sluice/plans';
import { formatFields, formatGrid, toOneLine, formatTime } from '../terminal-text.js';

export interface ListedPlan {
  readonly source: string;
  readonly version: number;
  readonly events: number;
  /** `active`, `candidate`, or empty. */
  readonly state: string;
  /** The mode of the activation; empty if the version is not active. */
  readonly mode: string;
  readonly description: string;
}

export const describePlans = (plans: readonly ListedPlan[]): string =>
  plans.length === 0
    ? 'There are no plans yet: operator plans infer --source <sourceIdentifier>, or operator plans import <file>'
    : formatGrid(
        ['SOURCE', 'VERSION', 'EVENTS', 'STATE', 'MODE', 'DESCRIPTION'],
        plans.map((plan) => [
          plan.source,
          String(plan.version),
          String(plan.events),
          plan.state,
          plan.mode,
          toOneLine(plan.description),
        ]),
      );

export function describePlan(plan: Plan, activation: Activation | undefined): string {
  const events = Object.entries(plan.events).map(([name, { properties = {}, required = [], mode = '' }]) => [
    name,
    String(Object.keys(properties).length),
    required.join(', '),
    mode,
  ]);
  const active = activation ? `${activation.versions.join(', ') || 'none'} (${activation.mode})` : 'none';
  return [
    formatFields(
      ['version', String(plan.version)],
      ['sources', plan.sources.join(', ')],
      ['active', active],
      ...(activation?.candidate === undefined ? [] : [['candidate', String(activation.candidate)] as const]),
      ['traits', plan.traits ? 'planned' : 'not planned'],
    ),
    formatGrid(['EVENT', 'PROPERTIES', 'REQUIRED', 'MODE'], events),
  ].join('\n\n');
}

/** `+ path: value` for what is new, `- path` for what is gone, `~ path: before -> after`. */
export function describeDifferences(differences: readonly PlanDifference[]): string {
  if (differences.length === 0) return 'No differences.';
  return differences.map(({ path, before, after }) => describeDifference(path, before, after)).join('\n');
}

function describeDifference(path: string, before: unknown, after: unknown): string {
  if (before === undefined) return `+ ${path}: ${formatValue(after)}`;
  return after === undefined
    ? `- ${path}: ${formatValue(before)}`
    : `~ ${path}: ${formatValue(before)} -> ${formatValue(after)}`;
}

const maxShown = 200;
const formatValue = (value: unknown): string => {
  const text = toOneLine(JSON.stringify(value));
  return text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`;
};

export const formatPercent = (share: number): string =>
  `${(100 * share).toFixed(share > 0 && share < 0.001 ? 4 : 2)} %`;

export function describePreview(preview: ActivationPreview, isDone: boolean): string {
  const { source, versions, mode, candidate, observation } = preview;
  const activeText = versions.length === 0 ? 'no version' : `version ${versions.join(', ')} in mode ${mode}`;
  const candidateText = candidate === undefined ? '' : `, and observes ${candidate} as a candidate`;
  return [
    `Source ${source} ${isDone ? 'has' : 'would have'} ${activeText}${candidateText}.`,
    ...(versions.length > 1 ? ['A message that fits one of these versions fits.'] : []),
    ...describeModeChange(preview),
    ...describePlanChange(preview),
    ...describeCandidateChange(preview, isDone),
    ...(observation ? [describeObservation(observation, isDone)] : []),
    isDone ? 'The change is in force within two seconds.' : 'Nothing was changed. Add --yes to do it.',
  ].join('\n\n');
}

const newestVersion = ({ versions }: ActivationPreview): number => Math.max(...versions);

function describeModeChange({ before, mode }: ActivationPreview): string[] {
  if (before?.mode === mode) return [];
  return [
    ...(before && before.versions.length > 0 ? [`Mode: ${before.mode} -> ${mode}`] : []),
    ...(mode === 'drop' ? [dropWarning] : []),
  ];
}

function describePlanChange(preview: ActivationPreview): string[] {
  const [active] = preview.before?.versions ?? [];
  const newest = newestVersion(preview);
  if (preview.versions.length === 0 || newest === active) return [];
  const heading =
    active === undefined ? 'No version is active:' : `Differences of ${newest} from ${active}, which is active:`;
  return [heading, describeDifferences(preview.differences)];
}

function describeCandidateChange(preview: ActivationPreview, isDone: boolean): string[] {
  const { versions, before, candidate, candidateDifferences } = preview;
  const earlierCandidate = before?.candidate;
  const hasEnded =
    earlierCandidate !== undefined && earlierCandidate !== candidate && !versions.includes(earlierCandidate);
  const ends = hasEnded ? [`Candidate ${earlierCandidate} ${isDone ? 'is' : 'would be'} observed no longer.`] : [];
  if (candidate === undefined) return ends;
  const heading =
    versions.length === 0
      ? `Candidate ${candidate}:`
      : `Differences of candidate ${candidate} from ${newestVersion(preview)}:`;
  return [...ends, heading, describeDifferences(candidateDifferences)];
}

const dropWarning =
  'Values that do not fit are not stored, and cannot be restored: `operator plans compare` says which they would be.';

const describeObservation = ({ since, judged, violating, share }: Observation, isDone: boolean): string =>
  formatFields(
    ['observed since', since === null ? 'never' : formatTime(since)],
    ['judged in 7 days', String(judged)],
    [isDone ? 'refused from now on' : 'would be refused', `${violating} (${formatPercent(share)})`],
  );

export function describeComparison(version: number, comparison: StoredVerdicts): string {
  const { events, from } = comparison;
  if (events.length === 0) return `Nothing is stored since ${formatTime(from)}.`;
  return [
    `Version ${version} would not accept ${formatPercent(violatingShare(comparison))} of the messages since ${formatTime(from)}.`,
    formatGrid(['EVENT', 'STORED', 'JUDGED', 'VIOLATING', 'SHARE', 'VIOLATIONS'], events.map(toRow)),
  ].join('\n\n');
}

const maxViolationsShown = 3;

function toRow({ event, stored, judged, violating, violations }: ComparedEvent): string[] {
  const shownViolations = violations
    .slice(0, maxViolationsShown)
    .map(([violation, count]) => `${violation} (${count})`);
  return [
    event === '' ? '(identify)' : event,
    String(stored),
    String(judged),
    String(violating),
    judged === 0 ? '' : formatPercent(violating / judged),
    shownViolations.join(', '),
  ];
}
