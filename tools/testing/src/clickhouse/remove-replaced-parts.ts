/** Whatever runs statements in ClickHouse, such as a client of @clickhouse/client. */
interface RunsStatements {
  command(statement: { query: string }): Promise<unknown>;
}

const atOnce =
  'old_parts_lifetime = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1, cleanup_delay_period_random_add = 0';

/** Makes ClickHouse remove replaced parts of tables at once, not after minutes: only then are their rows erased. */
export async function removeReplacedPartsAtOnce(client: RunsStatements, tables: Iterable<string>): Promise<void> {
  for (const table of tables) {
    await client.command({ query: `ALTER TABLE ${table} MODIFY SETTING ${atOnce}` });
    // The task that removes parts uses the new times only when it is created again. SYNC waits for merges and queries
    // that still use the table: ATTACH is refused until they end.
    await client.command({ query: `DETACH TABLE ${table} SYNC` });
    await client.command({ query: `ATTACH TABLE ${table}` });
  }
}
