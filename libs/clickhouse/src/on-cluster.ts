import { MigrationError } from './migration.js';

const name = '[\\w.`]+';
/** Statements that are to be run by every replica, up to the name after which `ON CLUSTER` stands. */
const forEveryReplica = new RegExp(
  `^(?:CREATE(?: OR REPLACE)? (?:DATABASE|TABLE|VIEW|MATERIALIZED VIEW|DICTIONARY)(?: IF NOT EXISTS)?|ALTER TABLE|DROP (?:TABLE|VIEW|DICTIONARY)(?: IF EXISTS)?) ${name}`,
  'i',
);
/** Statements whose effect the tables replicate by themselves. */
const forOneReplica = /^(?:SELECT|INSERT INTO|OPTIMIZE TABLE)\s/i;

/** A week: longer than any replay may take that is not looked up. */
const windowSeconds = 7 * 24 * 60 * 60;

/**
 * A statement of a migration as a cluster is to run it: on every replica, with tables that replicate each other. The
 * paths in Keeper are ClickHouse's own (`default_replica_path`), so that its macros are all it must know.
 * @throws MigrationError for a statement of which it does not know how it is run on a cluster.
 */
export function onCluster(statement: string, cluster: string): string {
  if (forOneReplica.test(statement)) return statement;
  const [head] = forEveryReplica.exec(statement.replace(/\s+/g, ' ')) ?? [];
  if (head === undefined) throw new MigrationError(`cannot be run on a cluster: ${statement.slice(0, 100)}`);
  // The same words in the statement as it was written, whatever its white space.
  const written = new RegExp(head.split(' ').map(literally).join('\\s+'));
  return statement
    .replace(written, (words) => `${words} ON CLUSTER ${quoted(cluster)}`)
    .replace(/\bENGINE\s*=\s*(?=\w*MergeTree\b)(?!Replicated)/gi, (words) => `${words}Replicated`)
    .replace(
      /\bnon_replicated_deduplication_window\s*=\s*(\d+)/g,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${windowSeconds}`,
    );
}

const literally = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const quoted = (identifier: string): string => `\`${identifier.replace(/[`\\]/g, '\\$&')}\``;
