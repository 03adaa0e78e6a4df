/** Shows the newest events; without a quote, so that it can be pasted into a shell between two. */
export const rowsQuery = (database: string): string =>
  `SELECT event, user_id, properties, timestamp, stored_at FROM ${database}.events ORDER BY stored_at DESC LIMIT 5 FORMAT Vertical`;
