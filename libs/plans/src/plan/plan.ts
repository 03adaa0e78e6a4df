/** Reaction to a message that does not fit its plan, from the mildest: docs/plans.md#modes. */
export const planModes = ['observe', 'drop', 'refuse'] as const;
export type PlanMode = (typeof planModes)[number];

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
/** Type of a value. `integer` takes 5.0 as well: JSON does not distinguish it from 5. */
export type ValueType = (typeof jsonTypes)[number];

export type Scalar = string | number | boolean;

/** An object whose members are planned. One that lists `properties` is closed unless `additionalProperties` is true. */
export interface ObjectShape {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** A value: the words of JSON Schema, with the meaning that they have there. */
export interface Property extends ObjectShape {
  readonly type?: ValueType | readonly ValueType[];
  readonly enum?: readonly Scalar[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly items?: Property;
}

/** The properties of one event. */
export interface EventPlan extends ObjectShape {
  /** Replaces the mode of the activation if it is milder. */
  readonly mode?: PlanMode;
}

/** A tracking plan: what the events of its sources must look like. A version never changes. See docs/plans.md. */
export interface Plan {
  readonly version: number;
  /** Identifiers of the sources that the plan is for. */
  readonly sources: readonly string[];
  readonly description?: string;
  /** The mode of an activation that names none. */
  readonly mode?: PlanMode;
  /** Whether events that the plan does not name are accepted without a violation. */
  readonly additionalEvents?: boolean;
  readonly events: Readonly<Record<string, EventPlan>>;
  /** Traits of identify messages. */
  readonly traits?: ObjectShape;
}

/** Bounds of a plan. A message has at most 256 members on 8 levels (docs/api.md#free-form-values). */
export const planBounds = {
  version: 2 ** 32 - 1,
  sources: 100,
  events: 1_000,
  properties: 256,
  depth: 8,
  enum: 100,
  textLength: 256,
  descriptionLength: 1_000,
  bytes: 900_000,
} as const;

export const isClosed = ({ properties, additionalProperties }: ObjectShape): boolean =>
  additionalProperties === undefined ? properties !== undefined : !additionalProperties;

export const allowedTypes = ({ type }: Property): readonly ValueType[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type;
