import { type SchemaChange, parseEffect, type SchemaItem } from './definitions.js';
import { type ReplacingView, replacingView } from './view-statement.js';

/** The part of a migration that makes a schema. */
interface SchemaSource {
  readonly app: string;
  readonly name: string;
  readonly statements: readonly string[];
}

/** A table or view, as the migrations leave it. */
export interface SchemaObject {
  readonly kind: 'table' | 'view' | 'materialized view';
  readonly name: string;
  /** The migration that created it last, `app/NNNN-name`. */
  readonly migration: string;
  /** The statement that creates a view; all statements that shape a table, in their order. */
  readonly statements: readonly string[];
  /** The statement of a view with the mark of its definition. */
  readonly view?: ReplacingView;
  /** Columns, indexes and projections of a table, by `KIND name`. */
  readonly items: ReadonlyMap<string, SchemaItem>;
  /** Items that a migration removed from the table. */
  readonly removed: ReadonlyMap<string, Pick<SchemaItem, 'kind' | 'name'>>;
}

export interface Schema {
  /** Tables and views in the order of their creation, in which they can be created again. */
  readonly objects: readonly SchemaObject[];
  /** Names of tables and views that migrations have dropped. */
  readonly dropped: ReadonlySet<string>;
}

export const itemKey = ({ kind, name }: Pick<SchemaItem, 'kind' | 'name'>): string => `${kind} ${name}`;

/** The schema that these migrations make, by their files alone. */
export function buildSchema(migrations: readonly SchemaSource[]): Schema {
  const objects = new Map<string, SchemaObject>();
  const dropped = new Set<string>();
  for (const { app, name, statements } of migrations)
    for (const statement of statements) follow(objects, dropped, statement, `${app}/${name}`);
  return { objects: [...objects.values()], dropped };
}

function follow(objects: Map<string, SchemaObject>, dropped: Set<string>, statement: string, migration: string): void {
  const effect = parseEffect(statement);
  if (!effect) return;
  const { name } = effect;
  const present = objects.get(name);
  if (effect.kind === 'dropped') {
    objects.delete(name);
    dropped.add(name);
  } else if (effect.kind === 'altered') {
    if (present) objects.set(name, alter(present, statement, effect.changes));
  } else if (effect.kind === 'table') {
    // A second CREATE TABLE IF NOT EXISTS changes nothing.
    if (present) return;
    const items = new Map(effect.items.map((item) => [itemKey(item), item]));
    objects.set(name, { kind: 'table', name, migration, statements: [statement], items, removed: new Map() });
    dropped.delete(name);
  } else {
    const view = replacingView(statement);
    objects.delete(name);
    objects.set(name, {
      kind: effect.kind,
      name,
      migration,
      statements: [view?.statement ?? statement],
      ...(view && { view }),
      items: new Map(),
      removed: new Map(),
    });
    dropped.delete(name);
  }
}

function alter(object: SchemaObject, statement: string, changes: readonly SchemaChange[]): SchemaObject {
  const [items, removed] = [new Map(object.items), new Map(object.removed)];
  const remove = (item: Pick<SchemaItem, 'kind' | 'name'>): void => {
    items.delete(itemKey(item));
    removed.set(itemKey(item), item);
  };
  const set = (item: SchemaItem): void => {
    items.set(itemKey(item), item);
    removed.delete(itemKey(item));
  };
  for (const change of changes) {
    if (change.kind === 'set') set(change.item);
    else if (change.kind === 'drop') remove(change.item);
    else {
      const { from, to } = change;
      const item = items.get(`COLUMN ${from}`);
      remove({ kind: 'COLUMN', name: from });
      if (item) set({ ...item, name: to, definition: item.definition.replace(/^`?\w+`?/, to) });
    }
  }
  return { ...object, statements: [...object.statements, statement], items, removed };
}
