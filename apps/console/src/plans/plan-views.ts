import {
  type PlanComparison,
  type PlanSummary,
  type PlanUse,
  type PlanView,
  type PlanViewQuery,
  type PlannedEvent,
} from '@sluice/console-api';
import {
  type Activation,
  describeShape,
  type EventPlan,
  listPlanChanges,
  listProperties,
  type ObjectShape,
  type Plan,
  type PlanChanges,
  type WriteValue,
} from '@sluice/plans';

/** Max number of changes of one event that are shown. */
const maxChanges = 200;

/** Whether a version is among those of an activation. */
export const judgeState = (version: number, activation: Activation | undefined): PlanSummary['state'] => {
  if (activation?.versions.includes(version)) return 'active';
  return version === activation?.candidate ? 'candidate' : 'inactive';
};

/** The state of a version in a source. */
export const viewUse = (
  version: number,
  source: Pick<PlanUse, 'sourceIdentifier' | 'sourceName'>,
  activation: Activation | undefined,
): PlanUse => ({
  ...source,
  state: judgeState(version, activation),
  mode: activation?.mode ?? null,
  versions: activation?.versions ?? [],
  candidate: activation?.candidate ?? null,
  activatedAt: activation?.activatedAt ?? null,
});

/** A page of a plan for people. */
export function viewPlan(plan: Plan, uses: PlanUse[], query: PlanViewQuery): PlanView {
  const { text = '', skip = 0, limit = 50 } = query;
  const { version, description = '', mode = null, additionalEvents = false, traits } = plan;
  const all = Object.entries(plan.events);
  const matchingEvents = all.filter(([name, event]) => hasText(name, event, text));
  return {
    version,
    description,
    uses,
    mode,
    additionalEvents,
    traits: traits ? viewEvent('', traits) : null,
    events: matchingEvents.slice(skip, skip + limit).map(([name, event]) => viewEvent(name, event)),
    found: matchingEvents.length,
    all: all.length,
  };
}

function viewEvent(name: string, shape: EventPlan | ObjectShape): PlannedEvent {
  const properties = listProperties(shape);
  const { description = '' } = shape;
  const required = properties.filter(({ isRequired }) => isRequired).length;
  return { name, description, rules: describeShape(shape), properties: properties.length, required };
}

function hasText(name: string, event: EventPlan, text: string): boolean {
  const searchText = text.trim().toLowerCase();
  if (searchText === '') return true;
  const texts = [name, event.description ?? '', ...listProperties(event).map(({ path }) => path)];
  return texts.some((eventText) => eventText.toLowerCase().includes(searchText));
}

/** A page of what two plans demand differently. */
export const viewComparison = (
  before: Plan | undefined,
  after: Plan,
  write: WriteValue,
  page: { skip?: number; limit?: number } = {},
): PlanComparison => pageOfChanges(listPlanChanges(before, after, write), page);

function pageOfChanges({ settings, events }: PlanChanges, { skip = 0, limit = 50 }): PlanComparison {
  const count = (kind: 'added' | 'removed' | 'changed'): number => events.filter((event) => event.kind === kind).length;
  return {
    settings: [...settings],
    events: events.slice(skip, skip + limit).map(({ event, kind, changes }) => ({
      event,
      kind,
      changes: changes.slice(0, maxChanges),
      found: changes.length,
    })),
    added: count('added'),
    removed: count('removed'),
    changed: count('changed'),
  };
}
