import { createHash } from 'node:crypto';
import { withoutComments } from './sql-text.js';

const creation = /^CREATE(?:\s+OR\s+REPLACE)?\s+(MATERIALIZED\s+)?VIEW(?:\s+IF\s+NOT\s+EXISTS)?\s+/i;
const ownComment = /\s+COMMENT\s+'((?:[^'\\]|\\.|'')*)'\s*$/i;
const mark = /\(definition ([0-9a-f]{16})\)$/;

/** The mark in the comment of a view, by which its definition is recognised; undefined without one. */
export const readMark = (comment: string): string | undefined => mark.exec(comment)?.[1];

export interface ReplacingView {
  readonly statement: string;
  readonly mark: string;
  /** The comment with the mark. */
  readonly comment: string;
}

/**
 * Turns a statement that creates a view into a statement that creates or replaces it, with a comment that marks its
 * definition. ClickHouse replaces a view in one step, so a killed process leaves the old view or the new one. Undefined
 * for all other statements.
 */
export function replacingView(statement: string): ReplacingView | undefined {
  const text = withoutComments(statement).trim();
  const [head, materialized = ''] = creation.exec(text) ?? [];
  if (head === undefined) return undefined;
  const definition = text.slice(head.length);
  const [commentClause = '', comment = ''] = ownComment.exec(definition) ?? [];
  const query = definition.slice(0, definition.length - commentClause.length);
  const newMark = createHash('sha256').update(`${materialized.trim()} ${definition}`).digest('hex').slice(0, 16);
  const markedComment = `${comment === '' ? '' : `${comment} `}(definition ${newMark})`;
  return {
    statement: `CREATE OR REPLACE ${materialized}VIEW ${query} COMMENT '${markedComment}'`,
    mark: newMark,
    comment: markedComment,
  };
}

const dropping = /^DROP\s+VIEW(?:\s+IF\s+EXISTS)?\s+(`[^`]+`|[\w.]+)\s*$/i;
const readName = (statement: string): string | undefined =>
  /^CREATE\s+OR\s+REPLACE\s+(?:MATERIALIZED\s+)?VIEW\s+(`[^`]+`|[\w.]+)/i.exec(statement)?.[1];

/**
 * The statements that are run for those of a migration: a view is replaced, and not dropped first, so that it is never
 * missing in between.
 */
export function runnable(statements: readonly string[]): string[] {
  const replaced = statements.map((statement) => replacingView(statement)?.statement ?? statement);
  return replaced.filter((statement, i) => {
    const [, dropped] = dropping.exec(withoutComments(statement).trim()) ?? [];
    return dropped === undefined || !replaced.slice(i + 1).some((later) => readName(later) === dropped);
  });
}

/**
 * The same as a statement of `replacingView` in two steps, for users without the right to drop tables, which ClickHouse
 * asks for when it replaces a view. Undefined for all other statements.
 */
export function inTwoSteps(
  statement: string,
): { readonly name: string; readonly steps: readonly string[] } | undefined {
  const name = readName(statement);
  if (name === undefined) return undefined;
  const creating = statement.replace(
    /^CREATE\s+OR\s+REPLACE\s+((?:MATERIALIZED\s+)?VIEW)\s/i,
    'CREATE $1 IF NOT EXISTS ',
  );
  return { name, steps: [`DROP VIEW IF EXISTS ${name}`, creating] };
}

/** The query of a statement that creates a view. */
export const readQuery = (statement: string): string =>
  /\sAS\s+((?:SELECT|WITH)\s[^]*)$/i.exec(statement.replace(ownComment, ''))?.[1] ?? '';
