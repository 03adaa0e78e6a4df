import { isObject } from '@sluice/contracts';
import { joinMemberPath, ObjectReader } from './parse-object.js';
import { descriptionMustBe, isDescription, omitAbsent, readShape } from './parse-shape.js';
import { type EventPlan, type ObjectShape, type Plan, planBounds, type PlanMode, planModes } from './plan.js';
import { PlanError, type PlanProblem } from './plan-error.js';

const sourceIdentifier = /^[A-Za-z0-9]{12}$/;
const eventName = /^[a-zA-Z0-9_\-.]{1,64}$/;

export const isPlanVersion = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= planBounds.version;
export const isPlanMode = (value: unknown): value is PlanMode => planModes.some((mode) => mode === value);
export const isSourceIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && sourceIdentifier.test(value);

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const areSources = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= planBounds.sources &&
  value.every(isSourceIdentifier) &&
  new Set(value).size === value.length;
const modeMustBe = `one of ${planModes.join(', ')}`;

/**
 * Checks a value that comes from outside, such as a file. The result holds nothing but members of a plan.
 * @throws PlanError that names each wrong member.
 */
export function parsePlan(value: unknown): Plan {
  const problems: PlanProblem[] = [];
  const plan = readPlan(value, problems);
  if (plan === undefined || problems.length > 0) throw new PlanError(problems);
  const bytes = Buffer.byteLength(JSON.stringify(plan));
  if (bytes <= planBounds.bytes) return plan;
  throw new PlanError([{ path: '', message: `has ${bytes} bytes; ${planBounds.bytes} are possible` }]);
}

function readPlan(value: unknown, problems: PlanProblem[]): Plan | undefined {
  const reader = ObjectReader.open(value, '', problems);
  if (!reader) return undefined;
  for (const name of ['version', 'sources', 'events']) if (!reader.has(name)) reader.refuse(name, 'is missing');
  const plan = omitAbsent<Plan>({
    version: reader.take('version', isPlanVersion, `a whole number from 1 to ${planBounds.version}`),
    sources: reader.take(
      'sources',
      areSources,
      `1 to ${planBounds.sources} source identifiers of 12 characters, each once`,
    ),
    description: reader.take('description', isDescription, descriptionMustBe),
    mode: reader.take('mode', isPlanMode, modeMustBe),
    additionalEvents: reader.take('additionalEvents', isFlag, 'true or false'),
    events: readEvents(reader, problems),
    traits: readTraits(reader, problems),
  });
  reader.end();
  return plan;
}

function readEvents(reader: ObjectReader, problems: PlanProblem[]): Plan['events'] | undefined {
  const value = reader.take('events', isObject, 'an object');
  if (value === undefined) return undefined;
  const entries = Object.entries(value);
  if (entries.length > planBounds.events) reader.refuse('events', `must be at most ${planBounds.events}`);
  return Object.fromEntries(
    entries.slice(0, planBounds.events).flatMap(([name, event]) => {
      const path = joinMemberPath('events', name);
      if (!eventName.test(name))
        problems.push({ path, message: 'names must be 1 to 64 of the characters a-z A-Z 0-9 _ - .' });
      const eventPlan = readEvent(event, path, problems);
      return eventPlan ? [[name, eventPlan] as const] : [];
    }),
  );
}

function readEvent(value: unknown, path: string, problems: PlanProblem[]): EventPlan | undefined {
  const reader = ObjectReader.open(value, path, problems);
  if (!reader) return undefined;
  const mode = reader.take('mode', isPlanMode, modeMustBe);
  const event = omitAbsent<EventPlan>({ mode, ...readShape(reader, problems, 1) });
  reader.end();
  return event;
}

function readTraits(plan: ObjectReader, problems: PlanProblem[]): ObjectShape | undefined {
  const value = plan.raw('traits');
  const reader = value === undefined ? undefined : ObjectReader.open(value, 'traits', problems);
  if (!reader) return undefined;
  const shape = readShape(reader, problems, 1);
  reader.end();
  return shape;
}
