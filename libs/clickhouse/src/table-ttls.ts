import { makeValidator } from '@sluice/service';

/** Days that rows stay, by table. */
export type TableTtls = ReadonlyMap<string, number | 'never'>;

/** `events=400,ad_requests=30,users=never` */
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
