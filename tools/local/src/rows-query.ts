/** Shows the newest events. Contains no quotes, so that it can be pasted between quotes into a shell. */
export const rowsQuery = (database: string): string =>
  `SELECT event, user_id, properties, timestamp, stored_at FROM ${database}.events ORDER BY stored_at DESC LIMIT 5 FORMAT Vertical`;
