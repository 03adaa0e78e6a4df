import { expect, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { personTables, tablesWithoutPeople } from './person-tables.js';
import { askedViews, otherViews } from './person-views.js';

const statements = (await findMigrations()).flatMap((migration) => migration.statements);

function namesIn(pattern: RegExp): string[] {
  const names = statements.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set(names)].sort();
}

// A new table must be classified, or it could hold people whom no erasure finds.
it('says of every table whether it holds people', () => {
  const known = [...personTables.map(({ table }) => table), ...Object.keys(tablesWithoutPeople)];
  const made = namesIn(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
  expect(made.length).toBeGreaterThan(10);
  expect([...made, 'schema_migrations'].sort()).toEqual(known.sort());
});

it('says of every view how it is verified', () => {
  const made = namesIn(/CREATE (?:OR REPLACE )?(?:MATERIALIZED )?VIEW (?:IF NOT EXISTS )?(\w+)/g);
  expect(made).toEqual([...askedViews, ...Object.keys(otherViews)].sort());
});
