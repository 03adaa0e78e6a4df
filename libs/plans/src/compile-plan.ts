import { _, type KeywordCxt } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type CompileQueue } from './compile-queue.js';
import { type Accepting, CompiledShape } from './compiled-shape.js';
import { noOtherNames, storedSchemaOf, undotted } from './json-schema.js';
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
 * @param queue for processes whose event loop must go on
 */
export function compilePlan(
  { version, additionalEvents = false, events, traits }: Plan,
  queue?: CompileQueue,
): CompiledPlan {
  const compiler = new ShapeCompiler();
  const compiled = (shape: ObjectShape): CompiledShape =>
    new CompiledShape(shape, (one) => compiler.compile(one), queue);
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

  compile(shape: ObjectShape): Accepting {
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
  ajv.addKeyword({ keyword: noOtherNames, type: 'object', schemaType: 'array', code: refuseOtherNames });
  return ajv;
}

/**
 * Compares each name with all planned ones. Ajv's `additionalProperties` does so up to eight names and then asks
 * `hasOwnProperty`, which took most of the time of an event with twenty properties.
 */
function refuseOtherNames(context: KeywordCxt): void {
  const { gen, data } = context;
  const names = context.schema as readonly string[];
  gen.forIn('name', data, (name) => {
    const isOther = names.reduce(
      (others, planned) => _`${others} && ${name} !== ${planned}`,
      _`${data}[${name}] !== null`,
    );
    gen.if(isOther, () => {
      context.error();
      gen.break();
    });
  });
}

const hasInheritedName = ({ properties = {} }: ObjectShape): boolean =>
  Object.entries(properties).some(([name, property]) => name in Object.prototype || hasInheritedNameBelow(property));

const hasInheritedNameBelow = (property: Property): boolean =>
  hasInheritedName(property) || (property.items !== undefined && hasInheritedNameBelow(property.items));
