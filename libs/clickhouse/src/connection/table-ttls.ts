import { makeValidator } from '@sluice/service';

/** Number of days for which rows are kept, by table. */
export type TableTtls = ReadonlyMap<string, number | 'never'>;

/** Reads `events=400,ad_requests=30,users=never`. */
export const tableTtls = makeValidator<TableTtls>(
  (input) =>
    new Map(
      input.split(',').map((entry) => {
        const [, table = '', days = ''] = /^\s*([a-z_]+)=([1-9]\d{0,4}|never)\s*$/.exec(entry) ?? [];
        if (table === '') throw new TypeError(`"${entry}" must be a table, "=", and a number of days or "never"`);
        return [table, days === 'never' ? 'never' : Number(days)];
      }),
    ),
);
