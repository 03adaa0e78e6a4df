import { quoteText } from '@sluice/clickhouse';

/** A question about people who take steps in order, each within `withinMs` of their first. */
export interface Funnel {
  readonly source: string;
  /** Names of events, 2 to 16. */
  readonly steps: readonly string[];
  /** Range of `timestamp` as ClickHouse reads it, such as `2026-03-01`. `to` is not included. */
  readonly from: string;
  readonly to: string;
  readonly withinMs: number;
  /** Adds a column `bots`: how many of the people have an event of the funnel with the user agent of a bot. */
  readonly countsBots?: boolean;
}

const maxSteps = 16;

/**
 * SQL that counts people by the last step that they reached: columns `step` (0: they took a later step only) and `people`.
 * docs/tables.md#funnel explains it.
 * @throws RangeError unless there are 2 to 16 steps and the time is a whole number above 0.
 */
export function funnelQuery({ source, steps, from, to, withinMs, countsBots = false }: Funnel): string {
  if (steps.length < 2 || steps.length > maxSteps) throw new RangeError(`a funnel has 2 to ${maxSteps} steps`);
  if (!Number.isSafeInteger(withinMs) || withinMs < 1) throw new RangeError('withinMs is a whole number above 0');
  const events = steps.map(quoteText);
  const bits = events.map((event, i) => `${i === 0 ? '' : `${2 ** i} * `}toUInt16(event = ${event})`).join(' + ');
  const isStep = steps.map((_, i) => `arrayMap(moment -> bitTest(moment, ${i}), moments)`).join(', ');
  const [botOfId, botOfPerson, bots] = countsBots
    ? [
        `,\n            max(user_agent IN (SELECT user_agent FROM bots)) AS is_bot`,
        ', max(ids.is_bot) AS is_bot',
        ', countIf(is_bot) AS bots',
      ]
    : ['', '', ''];
  return `WITH
    ${bits} AS bits,
    links AS
    (
        SELECT sipHash64('anonymous', anonymous_id) AS identity, sipHash64('user', user_id) AS person
        FROM identity_links WHERE source_id = ${quoteText(source)}
    ),
    ids AS
    (
        SELECT identity, groupArray(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(timestamp)), 16) + bits) AS moments, groupBitOr(bits) AS found${botOfId}
        FROM events FINAL
        WHERE source_id = ${quoteText(source)} AND event IN (${[...new Set(events)].join(', ')})
            AND timestamp >= ${quoteText(from)} AND timestamp < ${quoteText(to)}
        GROUP BY identity
    ),
    people AS
    (
        SELECT groupArrayArray(ids.moments) AS moments, groupBitOr(ids.found) AS found${botOfPerson}
        FROM ids LEFT ANY JOIN links ON links.identity = ids.identity
        GROUP BY if(links.person != 0, links.person, ids.identity)
    )
SELECT
    if(bitAnd(found, 3) != 3, bitAnd(found, 1), arrayReduce('windowFunnel(${withinMs})', arrayMap(moment -> bitShiftRight(moment, 16), moments),
        ${isStep})) AS step,
    count() AS people${bots}
FROM people
GROUP BY step ORDER BY step
SETTINGS join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1`;
}
