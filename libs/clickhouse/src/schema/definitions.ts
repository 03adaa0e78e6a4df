import { splitBracket, splitList, withoutComments } from './sql-text.js';

/** Effect of a statement of a migration on the schema. Statements that change data only have no effect. */
export type Effect =
  | {
      readonly kind: 'table' | 'view' | 'materialized view';
      readonly name: string;
      readonly items: readonly SchemaItem[];
    }
  | { readonly kind: 'dropped'; readonly name: string }
  | { readonly kind: 'altered'; readonly name: string; readonly changes: readonly SchemaChange[] };

/** A column, index or projection of a table. */
export interface SchemaItem {
  readonly kind: 'COLUMN' | 'INDEX' | 'PROJECTION';
  readonly name: string;
  /** Definition in a CREATE or ALTER statement. */
  readonly definition: string;
  /** Type of a column, and DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL or nothing. */
  readonly type?: string;
  readonly source?: string;
}

export type SchemaChange =
  | { readonly kind: 'set'; readonly item: SchemaItem }
  | { readonly kind: 'drop'; readonly item: Pick<SchemaItem, 'kind' | 'name'> }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string };

const namePattern = '(?<name>`[^`]+`|[\\w.]+)';
const createStatement = new RegExp(
  `^CREATE(?: OR REPLACE)? (?<kind>TABLE|VIEW|MATERIALIZED VIEW)(?: IF NOT EXISTS)? ${namePattern}\\s*(?<rest>[^]*)$`,
  'i',
);
const dropStatement = new RegExp(`^DROP (?:TABLE|VIEW)(?: IF EXISTS)? ${namePattern}`, 'i');
const alterStatement = new RegExp(`^ALTER TABLE ${namePattern}\\s+(?<rest>[^]*)$`, 'i');

/** The effect of a statement; undefined if it has none on the schema, or none that is known. */
export function parseEffect(statement: string): Effect | undefined {
  const text = spaced(withoutComments(statement).trim());
  const creation = createStatement.exec(text)?.groups;
  if (creation) {
    const kind = (creation['kind'] ?? '').toLowerCase() as 'table' | 'view' | 'materialized view';
    const body = kind === 'table' ? splitBracket(creation['rest'] ?? '')?.inside : undefined;
    const items = splitList(body ?? '').flatMap((definition) => parseItem(definition) ?? []);
    return { kind, name: plain(creation['name']), items };
  }
  const drop = dropStatement.exec(text)?.groups;
  if (drop) return { kind: 'dropped', name: plain(drop['name']) };
  const alteration = alterStatement.exec(text)?.groups;
  if (!alteration) return undefined;
  const changes = splitList(alteration['rest'] ?? '').flatMap((command) => parseChange(command) ?? []);
  return { kind: 'altered', name: plain(alteration['name']), changes };
}

/** The words before the first bracket or quote of a statement, separated by one space each. */
function spaced(text: string): string {
  const end = text.search(/[('"]/);
  const head = end < 0 ? text : text.slice(0, end);
  return head.replace(/\s+/g, ' ') + text.slice(head.length);
}

const plain = (name = ''): string => name.replaceAll('`', '');

const part = /^(?<kind>INDEX|PROJECTION)\s+`?(?<name>\w+)`?\s/i;
const otherPart = /^(?:CONSTRAINT|PRIMARY KEY|STATISTICS)\b/i;
const column = /^`?(?<name>\w+)`?\s+(?<type>\w+)/;
const sources = new Set(['DEFAULT', 'MATERIALIZED', 'ALIAS', 'EPHEMERAL']);
/** A word after the name of a column that is not a type. */
const notType = /^(?:DEFAULT|MATERIALIZED|ALIAS|EPHEMERAL|COMMENT|CODEC|TTL|REMOVE|MODIFY|RESET|SETTINGS|STATISTICS)$/i;

/** Reads a definition of CREATE TABLE; undefined for a definition that is not compared. */
function parseItem(definition: string): SchemaItem | undefined {
  const partGroups = part.exec(definition)?.groups;
  if (partGroups) {
    const kind = (partGroups['kind'] ?? '').toUpperCase() === 'INDEX' ? 'INDEX' : 'PROJECTION';
    return { kind, name: partGroups['name'] ?? '', definition: definition.replace(/^\w+\s+/, '') };
  }
  const match = column.exec(definition);
  if (otherPart.test(definition) || !match?.groups || notType.test(match.groups['type'] ?? '')) return undefined;
  const { name = '', type = '' } = match.groups;
  const after = definition.slice(match[0].length);
  const bracket = splitBracket(after.trimStart());
  const rest = bracket?.rest ?? after;
  const [, word = ''] = /^\s*(\w+)/.exec(rest) ?? [];
  return {
    kind: 'COLUMN',
    name,
    definition,
    type: bracket ? `${type}(${bracket.inside})` : type,
    source: sources.has(word.toUpperCase()) ? word.toUpperCase() : '',
  };
}

const setting = /^(?<verb>ADD|MODIFY) (?<kind>COLUMN|INDEX|PROJECTION)(?: IF (?:NOT )?EXISTS)? (?<rest>[^]*)$/i;
const dropping = /^DROP (?<kind>COLUMN|INDEX|PROJECTION)(?: IF EXISTS)? `?(?<name>\w+)`?/i;
const renaming = /^RENAME COLUMN(?: IF EXISTS)? `?(?<from>\w+)`? TO `?(?<to>\w+)`?/i;

function parseChange(command: string): SchemaChange | undefined {
  const text = spaced(command);
  const set = setting.exec(text)?.groups;
  if (set) {
    const [kind, rest] = [(set['kind'] ?? '').toUpperCase(), set['rest'] ?? ''];
    const definition = rest.replace(/\s+(?:FIRST|AFTER\s+\w+)\s*$/i, '');
    const item = parseItem(kind === 'COLUMN' ? definition : `${kind} ${definition}`);
    return item && { kind: 'set', item };
  }
  const drop = dropping.exec(text)?.groups;
  if (drop) {
    const kind = (drop['kind'] ?? '').toUpperCase() as SchemaItem['kind'];
    return { kind: 'drop', item: { kind, name: drop['name'] ?? '' } };
  }
  const { from, to } = renaming.exec(text)?.groups ?? {};
  return from !== undefined && to !== undefined ? { kind: 'rename', from, to } : undefined;
}
