import { clickhouseVariables } from '@sluice/clickhouse';
import { checkClickHouse, inferPlan, minDraftMessages, makeSelectRows } from '@sluice/operations';
import { nextVersion } from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand, say } from '../output.js';
import { assertSource, PlanAccess } from './plan-access.js';
import { parseDays } from './plan-options.js';

interface InferOptions extends OutputOptions {
  source: string;
  days?: number;
}

@SubCommand({ name: 'infer', description: 'Draft a plan from the messages that are stored, as JSON for import' })
export class InferPlanCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], { source, days = 7, ...options }: InferOptions): Promise<void> {
    const version = await this.access.use(({ plans, sources }) => {
      assertSource(sources, source);
      return nextVersion(plans, [source]);
    });
    const config = this.connection.read(clickhouseVariables);
    await checkClickHouse(config);
    const { plan, rare } = await inferPlan(makeSelectRows(config), { source, days, version });
    if (rare.length > 0) say(describeRare(rare));
    this.output.print(plan, options, (draft) => JSON.stringify(draft, undefined, 2));
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Source of the messages', required: true })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--days <n>', description: 'Days before now; 7 by default' })
  days(text: string): number {
    return parseDays(text);
  }
}

const maxNamed = 10;

function describeRare(rare: readonly string[]): string {
  const shownEvents = rare.slice(0, maxNamed).join(', ');
  const unlistedEvents = rare.length > maxNamed ? ` and ${rare.length - maxNamed} more` : '';
  return `Fewer than ${minDraftMessages.toLocaleString('en-US')} messages, so that nothing is required: ${shownEvents}${unlistedEvents}.`;
}
