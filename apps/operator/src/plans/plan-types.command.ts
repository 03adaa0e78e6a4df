import { OperationError } from '@sluice/operations';
import { type Plan, buildPlanSchema, formatPlanTypes } from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { PlanAccess } from './plan-access.js';
import { readPlan } from './plan-file.js';
import { parseVersion } from './plan-options.js';
import { planOrNewest } from './show-plans.command.js';

const languages = ['ts', 'json-schema'] as const;
type Language = (typeof languages)[number];

interface TypesOptions extends OutputOptions {
  lang: Language;
  source?: string;
  plan?: number;
}

@SubCommand({
  name: 'types',
  arguments: '[file]',
  description: 'Print types for the SDKs, of a plan in a file or of a source',
})
export class PlanTypesCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([file]: string[], { lang, source, plan: version, ...options }: TypesOptions): Promise<void> {
    const plan = await this.choosePlan(file, source, version);
    const printed =
      lang === 'ts' ? formatPlanTypes(plan).trimEnd() : JSON.stringify(buildPlanSchema(plan), undefined, 2);
    this.output.print({ version: plan.version, lang, text: printed }, options, ({ text }) => text);
  }

  private choosePlan(file: string | undefined, source: string | undefined, version: number | undefined): Promise<Plan> {
    if (file !== undefined && source === undefined) return readPlan(file);
    if (file === undefined && source !== undefined)
      return this.access.use(({ plans }) => planOrNewest(plans, source, version));
    throw new OperationError('name a file, or a source with --source');
  }

  @Option({
    flags: `--lang <${languages.join('|')}>`,
    description: 'ts for Web, Node and React Native; json-schema for others',
    required: true,
  })
  lang(text: string): Language {
    const language = languages.find((languageName) => languageName === text);
    if (language) return language;
    throw new OperationError(`--lang must be one of ${languages.join(', ')}; it is '${text}'`);
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Source of the plan' })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--plan <version>', description: 'Version of the plan; the newest active one by default' })
  plan(text: string): number {
    return parseVersion('--plan', text);
  }
}
