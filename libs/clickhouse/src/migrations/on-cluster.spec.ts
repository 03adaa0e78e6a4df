import { expect, it } from 'vitest';
import { MigrationError } from './migration.js';
import { onCluster } from './on-cluster.js';

const shaped = (statement: string): string => onCluster(statement, 'prod');

it.each([
  ['CREATE DATABASE IF NOT EXISTS `sluice`', 'CREATE DATABASE IF NOT EXISTS `sluice` ON CLUSTER `prod`'],
  [
    'CREATE TABLE IF NOT EXISTS t\n(\n    n UInt8\n)\nENGINE = ReplacingMergeTree(n)\nORDER BY n',
    'CREATE TABLE IF NOT EXISTS t ON CLUSTER `prod`\n(\n    n UInt8\n)\nENGINE = ReplicatedReplacingMergeTree(n)\nORDER BY n',
  ],
  [
    'CREATE TABLE t (n UInt8) ENGINE=MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10000',
    'CREATE TABLE t ON CLUSTER `prod` (n UInt8) ENGINE=ReplicatedMergeTree ORDER BY n SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800',
  ],
  ['CREATE TABLE t AS u ENGINE = Memory', 'CREATE TABLE t ON CLUSTER `prod` AS u ENGINE = Memory'],
  ['CREATE VIEW IF NOT EXISTS v AS SELECT 1', 'CREATE VIEW IF NOT EXISTS v ON CLUSTER `prod` AS SELECT 1'],
  ['create or replace view v AS SELECT 1', 'create or replace view v ON CLUSTER `prod` AS SELECT 1'],
  ['CREATE MATERIALIZED VIEW m TO t AS SELECT 1', 'CREATE MATERIALIZED VIEW m ON CLUSTER `prod` TO t AS SELECT 1'],
  ['ALTER TABLE t ADD COLUMN n UInt8', 'ALTER TABLE t ON CLUSTER `prod` ADD COLUMN n UInt8'],
  ['DROP VIEW IF EXISTS v', 'DROP VIEW IF EXISTS v ON CLUSTER `prod`'],
  ['INSERT INTO t SELECT * FROM u', 'INSERT INTO t SELECT * FROM u'],
])('rewrites %s', (statement, expected) => expect(shaped(statement)).toBe(expected));

it('leaves an engine that already replicates unchanged', () => {
  const statement = 'CREATE TABLE t (n UInt8) ENGINE = ReplicatedMergeTree ORDER BY n';
  expect(shaped(statement)).toContain('ENGINE = ReplicatedMergeTree ORDER BY n');
});

it('refuses a statement of an unknown kind', () => expect(() => shaped('RENAME TABLE a TO b')).toThrow(MigrationError));

it('escapes the name of a cluster', () =>
  expect(onCluster('CREATE VIEW v AS SELECT 1', 'a`b')).toContain('ON CLUSTER `a\\`b`'));
