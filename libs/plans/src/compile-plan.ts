import { type FreeForm } from '@sluice/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CompiledShape } from './compiled-shape.js';
import { storedSchemaOf, undotted } from './json-schema.js';
import { type ObjectShape, type Plan, type PlanMode, type Property } from './plan.js';
import { valueFormats } from './value-formats.js';

/** An event of a compiled plan. */
export interface CompiledEvent {
  readonly shape: CompiledShape;
  readonly mode: PlanMode | undefined;
}

/** A plan that judges messages. */
export interface CompiledPlan {
  readonly version: number;
  readonly additionalEvents: boolean;
  readonly events: ReadonlyMap<string, CompiledEvent>;
  readonly traits: CompiledShape | undefined;
}

/**
 * Makes a plan ready to judge. It compiles nothing yet: an event is compiled when its first message comes, because a plan
 * of 200 events would stop the process for a second.
 */
export function compilePlan({ version, additionalEvents = false, events, traits }: Plan): CompiledPlan {
  const compiler = new ShapeCompiler();
  const compiled = (shape: ObjectShape): CompiledShape => new CompiledShape(shape, (one) => compiler.compile(one));
  return {
    version,
    additionalEvents,
    events: new Map(
      Object.entries(events).map(([name, event]) => [name, { shape: compiled(event), mode: event.mode }]),
    ),
    traits: traits && compiled(traits),
  };
}

/** The compilers of one plan. They go with it: Ajv never frees what it has compiled. */
class ShapeCompiler {
  private readonly ajvs = new Map<boolean, Ajv2020>();

  compile(shape: ObjectShape): (properties: FreeForm) => boolean {
    const schema = storedSchemaOf(shape);
    return this.ajvFor(hasInheritedName(shape)).compile(schema);
  }

  /** Only a shape that plans a name such as `constructor` pays for asking whose member it is. */
  private ajvFor(ownProperties: boolean): Ajv2020 {
    const known = this.ajvs.get(ownProperties);
    if (known) return known;
    const ajv = newAjv(ownProperties);
    this.ajvs.set(ownProperties, ajv);
    return ajv;
  }
}

/** Schemas are made by us from a checked plan, so they are not checked again. */
function newAjv(ownProperties: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    allErrors: false,
    messages: false,
    addUsedSchema: false,
    ownProperties,
  });
  for (const [name, validate] of valueFormats) ajv.addFormat(name, { type: 'string', validate });
  ajv.addFormat(undotted, { type: 'string', validate: (name: string) => !name.includes('.') });
  return ajv;
}

const hasInheritedName = ({ properties = {} }: ObjectShape): boolean =>
  Object.entries(properties).some(([name, property]) => name in Object.prototype || hasInheritedNameBelow(property));

const hasInheritedNameBelow = (property: Property): boolean =>
  hasInheritedName(property) || (property.items !== undefined && hasInheritedNameBelow(property.items));
