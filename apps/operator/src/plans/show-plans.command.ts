import { findPlan } from '@sluice/operations';
import { type Activation, type Plan, type PlanRegistry } from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { PlanAccess } from './plan-access.js';
import { parseVersion } from './plan-options.js';
import { describePlan, describePlans, type ListedPlan } from './plan-text.js';

@SubCommand({ name: 'list', description: 'List the plans of all sources, and what is active' })
export class ListPlansCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: OutputOptions): Promise<void> {
    const listed = await this.access.use(({ plans }) =>
      plans
        .sources()
        .sort()
        .flatMap((source) => listPlans(plans, source)),
    );
    this.output.print(listed, options, describePlans);
  }
}

function listPlans(plans: PlanRegistry, source: string): ListedPlan[] {
  const { versions = [], mode = '', candidate } = plans.activation(source) ?? {};
  return plans.listPlans(source).map(({ version, events, description = '' }) => {
    const isActive = versions.includes(version);
    const state = isActive ? 'active' : version === candidate ? 'candidate' : '';
    return { source, version, events: Object.keys(events).length, state, mode: isActive ? mode : '', description };
  });
}

interface VersionOptions extends OutputOptions {
  plan?: number;
}

/** The version that is asked for; else the newest active one, else the newest. @throws OperationError */
export function planOrNewest(plans: PlanRegistry, source: string, version: number | undefined): Plan {
  const newest = plans.activation(source)?.versions[0] ?? plans.listPlans(source).at(-1)?.version ?? 1;
  return findPlan(plans, source, version ?? newest);
}

@SubCommand({
  name: 'show',
  arguments: '<sourceIdentifier>',
  description: 'Show a plan of a source and what is active',
})
export class ShowPlanCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([source]: [string], { plan: version, ...options }: VersionOptions): Promise<void> {
    const shownPlan = await this.access.use(({ plans }): { plan: Plan; activation: Activation | undefined } => ({
      plan: planOrNewest(plans, source, version),
      activation: plans.activation(source),
    }));
    this.output.print(shownPlan, options, ({ plan, activation }) => describePlan(plan, activation));
  }

  @Option({ flags: '--plan <version>', description: 'Version of the plan; the newest active one by default' })
  plan(text: string): number {
    return parseVersion('--plan', text);
  }
}

@SubCommand({
  name: 'export',
  arguments: '<sourceIdentifier>',
  description: 'Write a plan as JSON, as import reads it',
})
export class ExportPlanCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([source]: [string], { plan: version, ...options }: VersionOptions): Promise<void> {
    const plan = await this.access.use(({ plans }) => planOrNewest(plans, source, version));
    this.output.print(plan, options, (exportedPlan) => JSON.stringify(exportedPlan, undefined, 2));
  }

  @Option({ flags: '--plan <version>', description: 'Version of the plan; the newest active one by default' })
  plan(text: string): number {
    return parseVersion('--plan', text);
  }
}
