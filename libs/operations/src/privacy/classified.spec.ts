import { expect, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { personTables, tablesWithoutPeople } from './person-tables.js';
import { queriedViews, otherViews } from './person-views.js';

const statements = (await findMigrations()).flatMap((migration) => migration.statements);

function namesIn(pattern: RegExp): string[] {
  const names = statements.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set(names)].sort();
}

// A new table must be classified, or it could hold people whom no erasure finds.
it('says of every table whether it holds people', () => {
  const classifiedTables = [...new Set(personTables.map(({ table }) => table)), ...Object.keys(tablesWithoutPeople)];
  const createdTables = namesIn(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
  expect(createdTables.length).toBeGreaterThan(10);
  expect([...createdTables, 'schema_migrations'].sort()).toEqual(classifiedTables.sort());
});

it('says of every view how it is verified', () => {
  const createdViews = namesIn(/CREATE (?:OR REPLACE )?(?:MATERIALIZED )?VIEW (?:IF NOT EXISTS )?(\w+)/g);
  expect(createdViews).toEqual([...queriedViews, ...Object.keys(otherViews)].sort());
});
