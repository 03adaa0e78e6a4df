import { type FreeForm } from '@sluice/contracts';
import { parseForeignRecord } from '@sluice/messages';

/** An item of a Segment batch (docs/segment.md), made from a record of another system. */
export type ImportedItem = FreeForm & { type: string };

/** Turns a record of an export into the items that it stands for, which can be none: a group record without groups. */
export type ToItems = (record: FreeForm) => ImportedItem[];

/** Text of a value that may be a number; undefined for all else and for an empty text. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A member as an object, parsed if it is JSON text, as warehouses export objects; empty for all else. */
export function readObject(value: unknown): FreeForm {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return readObject(parseForeignRecord(value));
    } catch {
      return {};
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FreeForm) : {};
}

/** The members of an object, except those with these names. */
export const omitMembers = (members: FreeForm, ...names: readonly string[]): FreeForm =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

/** An item without members that are undefined. */
export const makeItem = (type: string, members: FreeForm): ImportedItem => ({
  type,
  ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
});

/** A time as ISO 8601: `2026-01-31 12:00:00.123456` is UTC in exports. */
export function readUtcTime(value: unknown): string | undefined {
  const text = readText(value);
  const isBare = text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text);
  return isBare ? `${text.replace(' ', 'T')}Z` : text;
}
