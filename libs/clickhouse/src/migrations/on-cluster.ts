import { quoteName } from '../statement/quote.js';
import { MigrationError } from './migration.js';

const name = '[\\w.`]+';
/** Statements that every replica must run, up to the name that `ON CLUSTER` follows. */
const forEveryReplica = new RegExp(
  `^(?:CREATE(?: OR REPLACE)? (?:DATABASE|TABLE|VIEW|MATERIALIZED VIEW|DICTIONARY)(?: IF NOT EXISTS)?|ALTER TABLE|DROP (?:TABLE|VIEW|DICTIONARY)(?: IF EXISTS)?) ${name}`,
  'i',
);
/** Statements that one replica runs: the tables replicate their effect. */
const forOneReplica = /^(?:SELECT|INSERT INTO|OPTIMIZE TABLE)\s/i;

/** A week: longer than any replay without a look-up can take. */
const windowSeconds = 7 * 24 * 60 * 60;

/**
 * Rewrites a statement of a migration for a cluster: every replica runs it, and its tables become replicated. Their
 * paths in Keeper are ClickHouse's defaults (`default_replica_path`), which need only its macros.
 * @throws MigrationError for a statement of an unknown kind.
 */
export function onCluster(statement: string, cluster: string): string {
  if (forOneReplica.test(statement)) return statement;
  const [head] = forEveryReplica.exec(statement.replace(/\s+/g, ' ')) ?? [];
  if (head === undefined) throw new MigrationError(`cannot be run on a cluster: ${statement.slice(0, 100)}`);
  // Matches the same words in the original statement, whatever its white space.
  const headPattern = new RegExp(head.split(' ').map(literally).join('\\s+'));
  return statement
    .replace(headPattern, (words) => `${words} ON CLUSTER ${quoteName(cluster)}`)
    .replace(/\bENGINE\s*=\s*(?=\w*MergeTree\b)(?!Replicated)/gi, (words) => `${words}Replicated`)
    .replace(
      /\bnon_replicated_deduplication_window\s*=\s*(\d+)/g,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${windowSeconds}`,
    );
}

const literally = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
