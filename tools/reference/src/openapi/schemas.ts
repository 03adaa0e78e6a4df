import ts from 'typescript';

export type OpenApiSchema = Record<string, unknown>;

/** Converts TypeScript types to JSON schemas. A type with a name becomes a component. */
export class Schemas {
  readonly components: Record<string, OpenApiSchema> = {};

  constructor(private readonly checker: ts.TypeChecker) {}

  describeType(type: ts.Type): OpenApiSchema {
    const name = ownTypeName(type);
    if (name === undefined) return this.inline(type);
    if (!(name in this.components)) {
      this.components[name] = {};
      this.components[name] = { ...this.described(type.aliasSymbol ?? type.symbol), ...this.inline(type) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The text of a doc comment, if there is one. */
  described(symbol: ts.Symbol): OpenApiSchema {
    const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replace(/\s+/g, ' ');
    return description === '' ? {} : { description };
  }

  /** The schema of a member, with its text and the bounds that its tags name. */
  describeMember(member: ts.Symbol): OpenApiSchema {
    const schema = this.describeType(this.checker.getTypeOfSymbol(member));
    const tags = member.getJsDocTags(this.checker);
    const bounds = tags.map(({ name, text }) => parseBound(member.name, name, ts.displayPartsToString(text)));
    return { ...addBounds(schema, Object.fromEntries(bounds)), ...this.described(member) };
  }

  private inline(type: ts.Type): OpenApiSchema {
    if (type.isUnion()) return this.union(type.types);
    const simple = simpleSchema(type);
    if (simple) return simple;
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(type as ts.TypeReference);
      return { type: 'array', items: item ? this.describeType(item) : {} };
    }
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (index && !(index.flags & ts.TypeFlags.Never))
      return { type: 'object', additionalProperties: this.describeType(index) };
    return this.object(type);
  }

  private union(types: readonly ts.Type[]): OpenApiSchema {
    const present = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const texts = present.flatMap((type) => (type.isStringLiteral() ? [type.value] : []));
    const otherTypes = present.filter((type) => !type.isStringLiteral() && !isBoolean(type));
    const parts = [
      ...(texts.length > 0 ? [{ type: 'string', enum: texts }] : []),
      ...(present.some(isBoolean) ? [{ type: 'boolean' }] : []),
      ...otherTypes.map((type) => this.describeType(type)),
    ];
    return parts.length === 1 ? (parts[0] ?? {}) : { anyOf: parts };
  }

  private object(type: ts.Type): OpenApiSchema {
    const members = this.checker.getPropertiesOfType(type);
    const isOptional = ({ flags }: ts.Symbol): boolean => (flags & ts.SymbolFlags.Optional) !== 0;
    const properties = members.map((member) => {
      return [member.name, this.describeMember(member)] as const;
    });
    const required = members.filter((member) => !isOptional(member)).map(({ name }) => name);
    return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
  }
}

const numeric: ReadonlySet<string> = new Set(['minimum', 'maximum', 'maxLength', 'maxItems']);

/** A tag of a member as a keyword of its schema: `@maxLength 200`. */
function parseBound(member: string, tag: string, text: string): [keyword: string, value: unknown] {
  if (tag === 'integer') return ['type', 'integer'];
  if (numeric.has(tag) && /^\d+$/.test(text)) return [tag, Number(text)];
  if (tag === 'pattern' || tag === 'format') return [tag, text];
  throw new Error(`${member}: the tag @${tag} ${text} is not a bound`);
}

/** Adds bounds to a schema. A list itself has only the number of its items; its items have the other bounds. */
function addBounds(schema: OpenApiSchema, { maxItems, ...bounds }: OpenApiSchema): OpenApiSchema {
  const lists = listsIn(schema);
  if (lists.length === 0) return { ...schema, ...bounds };
  for (const list of lists) {
    list['items'] = { ...(list['items'] as OpenApiSchema), ...bounds };
    if (maxItems !== undefined) list['maxItems'] = maxItems;
  }
  return schema;
}

const listsIn = (schema: OpenApiSchema): OpenApiSchema[] =>
  [schema, ...((schema['anyOf'] as OpenApiSchema[] | undefined) ?? [])].filter(({ type }) => type === 'array');

const isBoolean = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.BooleanLike) !== 0;

/** The name of a type of ours; undefined for one that is written where it is used. */
function ownTypeName(type: ts.Type): string | undefined {
  const symbol = type.aliasSymbol ?? (type.flags & ts.TypeFlags.Object ? type.symbol : undefined);
  const isOurs =
    symbol?.declarations?.some((declaration) => declaration.getSourceFile().fileName.includes('/console-api/')) ??
    false;
  return isOurs && symbol && !symbol.name.startsWith('__') ? symbol.name : undefined;
}

function simpleSchema(type: ts.Type): OpenApiSchema | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
  if (type.flags & ts.TypeFlags.String) return { type: 'string' };
  if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
  if (isBoolean(type)) return { type: 'boolean' };
  if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
  return type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any) ? {} : undefined;
}
