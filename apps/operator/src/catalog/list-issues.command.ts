import { clickhouseVariables } from '@sluice/clickhouse';
import {
  checkClickHouse,
  type EntityIssue,
  makeSelectRows,
  OperationError,
  readCatalogIssues,
} from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { formatGrid, formatTime, toOneLine } from '../terminal-text.js';

interface ListedIssues {
  /** The number of entities by issue. */
  counts: Record<string, number>;
  /** The worst first. */
  issues: readonly EntityIssue[];
}

interface IssuesOptions extends OutputOptions {
  source: string;
  events?: string;
  days?: number;
  limit?: number;
}

const fallbackDays = 30;
const fallbackLimit = 50;
const maxCount = 10_000;
/** A person waits for the answer. */
const timeLimitSeconds = 30;

@SubCommand({
  name: 'issues',
  description: 'List what is wrong with the catalog of a source, what is looked at most first',
})
export class ListIssuesCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: IssuesOptions): Promise<void> {
    const { source: catalog, events = catalog, days = fallbackDays, limit = fallbackLimit } = options;
    const config = this.connection.read(clickhouseVariables);
    await checkClickHouse(config);
    const select = makeSelectRows(config, { max_execution_time: timeLimitSeconds });
    const { counts, issues } = await readCatalogIssues(select, { catalog, source: events, days, limit });
    const answer = { counts: Object.fromEntries(counts.map(({ issue, entities }) => [issue, entities])), issues };
    this.output.print(answer, options, describeIssues);
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Source of the catalog', required: true })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--events <sourceIdentifier>', description: 'Source of the events; that of the catalog by default' })
  events(text: string): string {
    return text;
  }

  @Option({
    flags: '--days <count>',
    description: `Days after which an entity that nobody sent is an issue; ${fallbackDays} by default`,
  })
  days(text: string): number {
    return parseCount('--days', text);
  }

  @Option({ flags: '--limit <count>', description: `Number of issues; ${fallbackLimit} by default` })
  limit(text: string): number {
    return parseCount('--limit', text);
  }
}

function parseCount(option: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= maxCount) return count;
  throw new OperationError(`${option} must be a whole number from 1 to ${maxCount}; it is '${text}'`);
}

function describeIssues({ counts, issues }: ListedIssues): string {
  if (issues.length === 0) return 'no issues';
  const countRows = Object.entries(counts).map(([issue, entities]) => [issue, `${entities}`]);
  const rows = issues.map(({ events, entity, entityId, issue, names, since }) =>
    [`${events}`, issue, entity, entityId, names, formatTime(since)].map(toOneLine),
  );
  const grid = formatGrid(['EVENTS IN 7 DAYS', 'ISSUE', 'ENTITY', 'ID', 'NAMES', 'SINCE'], rows);
  return `${formatGrid(['ISSUE', 'ENTITIES'], countRows)}\n\n${grid}`;
}
