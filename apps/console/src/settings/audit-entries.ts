import { toClickHouseTime, toIso } from '@sluice/clickhouse';
import { type AuditEntry, type AuditQuery } from '@sluice/console-api';
import { invalid } from '../http/console-error.js';
import { type Tables } from '../servers/tables.js';
import { type PayloadView } from '../payload/masks.js';
import { type CurrentUser } from '../session/current-user.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Number of entries of an answer. */
export interface AuditLimits {
  fallback: number;
  max: number;
}

/** Reads entries, newest first. An intent and its outcome are one entry, which has the time of the intent. */
export async function readAudit(
  tables: Tables,
  user: CurrentUser,
  query: AuditQuery,
  limits: AuditLimits,
): Promise<AuditEntry[]> {
  const filters = (['actor', 'operation', 'object'] as const).flatMap((name) => {
    const value = query[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { kind, beforeId = '', limit = limits.fallback } = query;
  if (limit > limits.max) throw invalid(`limit must be 1 to ${limits.max}.`);
  const from = new Date(query.from ?? 0);
  const to = query.to === undefined ? new Date(Date.now() + 60_000) : new Date(query.to);
  const before = query.before === undefined ? to : new Date(query.before);
  const conditions = [
    ...filters.map(([name]) => `AND a.${name} = {${name}:String}`),
    ...(kind === undefined ? [] : [`AND a.operation ${kind === 'reads' ? '=' : '!='} 'payloads.read'`]),
  ];
  const rows = await tables.select<AuditEntry>(
    user,
    `SELECT toString(action_id) AS id, min(a.received_at) AS at, any(a.actor) AS actor, any(a.role) AS role, any(a.face) AS face,
       any(a.origin) AS origin, any(a.operation) AS operation, any(a.object) AS object, argMax(a.details, a.outcome != 'intended') AS details,
       argMax(a.outcome, a.outcome != 'intended') AS outcome, max(a.error) AS error
     FROM operator_actions AS a
     WHERE a.received_at >= {from:DateTime64(3)} AND a.received_at < {to:DateTime64(3)} ${conditions.join(' ')}
     GROUP BY action_id HAVING (at, id) < ({before:DateTime64(3)}, {beforeId:String})
     ORDER BY at DESC, id DESC LIMIT {limit:UInt32}`,
    {
      from: toClickHouseTime(from),
      to: toClickHouseTime(to),
      before: toClickHouseTime(before),
      // Without an id, entries of exactly that time are left out.
      beforeId: uuid.test(beforeId) ? beforeId : '',
      limit,
      ...Object.fromEntries(filters),
    },
  );
  return rows.map((row) => ({ ...row, at: toIso(row.at) }));
}

/** Columns that a filter searches, for filters that are not named like a column. */
const filterColumns: Readonly<Record<string, readonly string[]>> = { user: ['user_id', 'anonymous_id'] };

/** An entry as a view shows it. The filters of an unmasked read quote payloads, so a masked view masks them too. */
export function shownEntry(entry: AuditEntry, view: PayloadView): AuditEntry {
  if (!view.isMasked || entry.operation !== 'payloads.read') return entry;
  const filters = Object.entries(JSON.parse(entry.details || '{}') as Record<string, unknown>).map(([name, value]) => {
    const hidden = `‹masked, ${String(value).length}›`;
    const columns = filterColumns[name] ?? [name];
    const isHidden =
      typeof value === 'string' && (name === 'text' || columns.some((column) => view.hides(column, value)));
    return [name, isHidden ? hidden : value];
  });
  return { ...entry, details: JSON.stringify(Object.fromEntries(filters)) };
}

const columns = [
  'at',
  'actor',
  'role',
  'face',
  'origin',
  'operation',
  'object',
  'outcome',
  'error',
  'details',
  'id',
] as const;

/** CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function formatCsv(entries: readonly AuditEntry[]): string {
  const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = entries.map((entry) => columns.map((column) => cell(entry[column])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}
