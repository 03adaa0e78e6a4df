import { toIso } from '@sluice/clickhouse';
import { type StatusReport, type TroubledSource } from '@sluice/console-api';
import { type SourceReader } from '@sluice/sources';
import { type Tables } from '../servers/tables.js';

/** Thresholds of the alerts SourceRefused and SourceSilent: deploy/helm/sluice/files/alerts.yml. */
const minRefused = 20;
const minYesterday = 1_000;
const readEveryMs = 30_000;
/** Age of the newest count of any gateway after which nothing is known of sources. */
const maxQuietSeconds = 120;
const maxNamed = 50;
const asker = { id: 'status' };

/**
 * Counts of gateways for the last hour, and of the same hour a day ago. Only requests with a valid key are counted for
 * a source: someone who claims its name changes nothing. The row without a source says that a gateway was there.
 */
const query = `SELECT source_id AS source,
    sumIf(requests, counted = 'refused' AND received_at >= now() - INTERVAL 15 MINUTE) AS refused,
    sumIf(requests, counted = 'accepted' AND received_at >= now() - INTERVAL 15 MINUTE) AS taken,
    sumIf(requests, counted = 'accepted' AND received_at >= now() - INTERVAL 1 HOUR) AS hour,
    sumIf(requests, counted = 'accepted' AND received_at < now() - INTERVAL 1 DAY) AS yesterday,
    toString(maxIf(received_at, counted = 'accepted' AND requests > 0)) AS newest,
    dateDiff('second', maxIf(received_at, counted = 'accepted'), now64(3)) AS age
  FROM refused_requests
  WHERE kind = 'count' AND counted IN ('accepted', 'refused')
    AND (received_at >= now() - INTERVAL 1 HOUR
      OR received_at >= now() - INTERVAL 25 HOUR AND received_at < now() - INTERVAL 1 DAY)
  GROUP BY source`;

interface Row {
  source: string;
  refused: string;
  taken: string;
  hour: string;
  yesterday: string;
  newest: string;
  age: string;
}

/** Judges sources by what gateways counted: whose requests are all refused, and who has fallen silent. */
export class SourceVerdicts {
  private lastJudgement: StatusReport['sources'] | undefined;
  private readAt = -Infinity;

  constructor(
    private readonly tables: Pick<Tables, 'select'>,
    private readonly sources: Pick<SourceReader, 'registry'>,
  ) {}

  /** @throws when ClickHouse cannot be asked. */
  async read(): Promise<StatusReport['sources']> {
    const isFresh = performance.now() - this.readAt < readEveryMs;
    // An unknown verdict is read again at once: all counts arrive together when a consumer is back.
    if (this.lastJudgement && this.lastJudgement.verdict !== 'unknown' && isFresh) return this.lastJudgement;
    const rows = await this.tables.select<Row>(asker, query, {});
    this.lastJudgement = this.judge(rows);
    this.readAt = performance.now();
    return this.lastJudgement;
  }

  private judge(rows: readonly Row[]): StatusReport['sources'] {
    const heard = rows.find(({ source }) => source === '');
    if (rows.length > 0 && !(Number(heard?.age) < maxQuietSeconds))
      return { verdict: 'unknown', summary: 'not known: no counts of gateways arrive', sources: [] };
    const troubled = rows
      .flatMap((row) => this.findTrouble(row))
      .sort((a, b) => a.trouble.localeCompare(b.trouble) || b.count - a.count);
    const number = (trouble: TroubledSource['trouble']): number =>
      troubled.filter((source) => source.trouble === trouble).length;
    return { ...judgeSources(number('refused'), number('silent')), sources: troubled.slice(0, maxNamed) };
  }

  private findTrouble(row: Row): TroubledSource[] {
    const enabledSource = this.sources.registry.findEnabled(row.source);
    if (!enabledSource) return [];
    const [refused, yesterday] = [Number(row.refused), Number(row.yesterday)];
    const newest = row.newest.startsWith('1970') ? null : toIso(row.newest);
    const source = { sourceIdentifier: row.source, name: enabledSource.name, newest };
    if (refused > minRefused && Number(row.taken) === 0) return [{ ...source, trouble: 'refused', count: refused }];
    if (yesterday > minYesterday && Number(row.hour) === 0) return [{ ...source, trouble: 'silent', count: yesterday }];
    return [];
  }
}

function judgeSources(refused: number, silent: number): Pick<StatusReport['sources'], 'verdict' | 'summary'> {
  const describeCount = (count: number, singular: string, plural: string): string[] =>
    count === 0 ? [] : [count === 1 ? `one source ${singular}` : `${count} sources ${plural}`];
  const parts = [
    ...describeCount(refused, 'has all of its requests refused', 'have all of their requests refused'),
    ...describeCount(silent, 'has fallen silent', 'have fallen silent'),
  ];
  return parts.length === 0
    ? { verdict: 'ok', summary: 'no source is refused or silent' }
    : { verdict: 'attention', summary: parts.join('; ') };
}
