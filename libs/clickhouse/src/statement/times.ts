/** A time as the text of a `DateTime64(3)`: of a parameter, and of rows in JSON. Sessions have UTC. */
export const toClickHouseTime = (time: Date): string => time.toISOString().replace('T', ' ').slice(0, -1);

/** ISO 8601 of the text of a `DateTime64`. */
export const toIso = (time: string): string => `${time.replace(' ', 'T')}Z`;
