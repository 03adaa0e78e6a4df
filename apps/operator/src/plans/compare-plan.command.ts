import { clickhouseVariables } from '@sluice/clickhouse';
import { checkClickHouse, comparePlan, findPlan, OperationError, makeSelectRows } from '@sluice/operations';
import { type Plan } from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { PlanAccess } from './plan-access.js';
import { readPlan } from './plan-file.js';
import { parseDays, parseVersion } from './plan-options.js';
import { describeComparison } from './plan-text.js';

interface CompareOptions extends OutputOptions {
  plan?: number;
  file?: string;
  days?: number;
}

@SubCommand({
  name: 'compare',
  arguments: '<sourceIdentifier>',
  description: 'Show what a plan would say of the messages that are stored; the candidate by default',
})
export class ComparePlanCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run([source]: [string], { plan: version, file, days = 7, ...options }: CompareOptions): Promise<void> {
    const plan = file === undefined ? await this.choosePlan(source, version) : await readPlan(file);
    const config = this.connection.read(clickhouseVariables);
    await checkClickHouse(config);
    const comparison = await comparePlan(makeSelectRows(config), { source, plan, days });
    this.output.print({ version: plan.version, ...comparison }, options, (report) =>
      describeComparison(plan.version, report),
    );
  }

  private choosePlan(source: string, version: number | undefined): Promise<Plan> {
    return this.access.use(({ plans }) => {
      const { candidate, versions = [] } = plans.activation(source) ?? {};
      const chosenVersion = version ?? candidate ?? versions[0] ?? plans.listPlans(source).at(-1)?.version;
      if (chosenVersion === undefined) throw new OperationError(`source ${source} has no plan`);
      return findPlan(plans, source, chosenVersion);
    });
  }

  @Option({ flags: '--plan <version>', description: 'Version of the plan' })
  plan(text: string): number {
    return parseVersion('--plan', text);
  }

  @Option({ flags: '--file <file>', description: 'A plan that is not imported yet' })
  file(text: string): string {
    return text;
  }

  @Option({ flags: '--days <n>', description: 'Days before now; 7 by default' })
  days(text: string): number {
    return parseDays(text);
  }
}
