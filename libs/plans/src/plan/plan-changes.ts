import { type EventPlan, type Plan } from './plan.js';
import { describeOthers, listProperties, type PlannedProperty, type WriteValue } from './planned-properties.js';

/** A difference in words; null for what one of the plans lacks. */
export interface WordedChange {
  /** Path of a property; empty for the event itself. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** An event, or the traits, that two plans describe differently. */
export interface ChangedEvent {
  /** Empty for traits. */
  readonly event: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly changes: readonly WordedChange[];
}

/** Differences of what two plans demand, for people. */
export interface PlanChanges {
  /** Changes of the whole plan. */
  readonly settings: readonly WordedChange[];
  /** Events in the order of the newer plan, then those that it lacks. */
  readonly events: readonly ChangedEvent[];
}

const noPlan: Pick<Plan, 'events'> = { events: {} };

/** Compares what plans demand; version and sources are not compared. @param before undefined for the first plan */
export function listPlanChanges(before: Plan | undefined, after: Plan, write?: WriteValue): PlanChanges {
  const [older, newer] = [listShapes(before ?? noPlan), listShapes(after)];
  const events = [...newer.keys(), ...[...older.keys()].filter((name) => !newer.has(name))];
  return {
    settings: compareWords(describeSettings(before), describeSettings(after)),
    events: events.flatMap((event) => {
      const [old, young] = [older.get(event), newer.get(event)];
      const changes = compareWords(describeEvent(old, write), describeEvent(young, write));
      if (changes.length === 0) return [];
      return [{ event, kind: old ? (young ? 'changed' : 'removed') : 'added', changes }];
    }),
  };
}

/** Events by name; traits have the empty name, which no event has. */
const listShapes = ({ events, traits }: Pick<Plan, 'events' | 'traits'>): Map<string, EventPlan> =>
  new Map([...Object.entries(events), ...(traits ? [['', traits] as const] : [])]);

function describeSettings(plan: Plan | undefined): Map<string, string> {
  const { mode, additionalEvents = false, description } = plan ?? {};
  return new Map([
    ...(mode === undefined ? [] : [['mode', mode] as const]),
    ...(plan ? [['other events', additionalEvents ? 'fit' : 'do not fit'] as const] : []),
    ...(description === undefined ? [] : [['description', description] as const]),
  ]);
}

/** Describes the rules that hold for an event, or for traits, as a whole. */
export const describeShape = (shape: EventPlan): string[] => [
  ...(shape.mode === undefined ? [] : [`mode ${shape.mode}`]),
  ...describeOthers(shape),
];

/** The words of an event and its properties, by path. */
function describeEvent(shape: EventPlan | undefined, write?: WriteValue): Map<string, string> {
  if (!shape) return new Map();
  const shapeWords = describeShape(shape);
  const words = shapeWords.length === 0 ? 'any properties' : shapeWords.join(', ');
  return new Map([
    ['', withDescription(words, shape.description)],
    ...listProperties(shape, write).map((property) => [property.path, describeProperty(property)] as const),
  ]);
}

/** `number, required, at least 0` */
export function describeProperty({ types, isRequired, rules, description }: PlannedProperty): string {
  const type = types.length === 0 ? 'any value' : types.join(' or ');
  return withDescription([type, isRequired ? 'required' : 'optional', ...rules].join(', '), description);
}

const withDescription = (words: string, description = ''): string =>
  description === '' ? words : `${words}: ${description}`;

function compareWords(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): WordedChange[] {
  const paths = [...after.keys(), ...[...before.keys()].filter((path) => !after.has(path))];
  return paths
    .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((change) => change.before !== change.after);
}
