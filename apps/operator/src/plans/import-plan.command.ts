import { compareWithStored, type ImportedPlan, openPlan, OperationError } from '@sluice/operations';
import { type ForeignForm, foreignForms, preparePlanImport } from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { assertSource, PlanAccess, type PlanRegistries } from './plan-access.js';
import { readJsonFile } from './plan-file.js';
import { describeDifferences } from './plan-text.js';

interface ImportOptions extends OutputOptions {
  from?: ForeignForm;
  source?: string[];
  snakeCase?: boolean;
  dryRun?: boolean;
}

@SubCommand({
  name: 'import',
  arguments: '<file>',
  description: 'Take over a plan (- reads standard input); it is not active yet. Safe to repeat',
})
export class ImportPlanCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([file]: [string], { dryRun = false, ...options }: ImportOptions): Promise<void> {
    const { from, source: sources, snakeCase = false } = options;
    if (from === undefined && (sources || snakeCase))
      throw new OperationError('--source and --snake-case are for --from: our own form names its sources');
    if (from !== undefined && !sources)
      throw new OperationError(`name the sources of the plan: --source <sourceIdentifier>`);
    // A wrong file is refused before Kafka is asked.
    const makePlanFor = openPlan({ name: file, value: await readJsonFile(file), from, sources, snakeCase });
    const prepareImport = ({ plans, sources: registry }: PlanRegistries) => {
      const plan = makePlanFor(plans);
      for (const source of plan.sources) assertSource(registry, source);
      return { planImport: preparePlanImport(plans, plan), imported: compareWithStored(plans, plan) };
    };
    const imported = dryRun
      ? await this.access.use((registries) => prepareImport(registries).imported)
      : await this.access.change(
          { operation: 'plans.import', object: file, details: {} },
          async (writer, registries) => {
            const { planImport, imported: importedPlan } = prepareImport(registries);
            await writer.import(planImport);
            return importedPlan;
          },
        );
    this.output.print(imported, options, (importedPlan) => toText(importedPlan, dryRun));
  }

  @Option({ flags: `--from <${foreignForms.join('|')}>`, description: 'The file is a tracking plan of this service' })
  from(text: string): ForeignForm {
    const form = foreignForms.find((foreignForm) => foreignForm === text);
    if (form) return form;
    throw new OperationError(`--from must be one of ${foreignForms.join(', ')}; it is '${text}'`);
  }

  @Option({ flags: '--source <sources>', description: 'With --from: the sources of the plan, with commas' })
  source(text: string): string[] {
    return text.split(',').map((part) => part.trim());
  }

  @Option({ flags: '--snake-case', description: 'With --from: write "Order Completed" as order_completed' })
  snakeCase(): boolean {
    return true;
  }

  @Option({ flags: '--dry-run', description: 'Check the file and show the differences' })
  dryRun(): boolean {
    return true;
  }
}

function toText({ version, created, unchanged, before, differences }: ImportedPlan, dryRun: boolean): string {
  const [firstSource] = created;
  if (firstSource === undefined)
    return `Version ${version} is stored for ${unchanged.join(', ')} already; nothing changes.`;
  const verb = dryRun ? 'would be written' : 'written';
  const heading = before === undefined ? 'It is the first plan:' : `Differences from version ${before}:`;
  const alreadyStored = unchanged.length === 0 ? '.' : `; ${unchanged.join(', ')} had it already.`;
  const activateCommand = `operator plans activate ${firstSource} --plan ${version} --mode observe`;
  return [
    `Version ${version} ${verb} for ${created.join(', ')}${alreadyStored}`,
    heading,
    describeDifferences(differences),
    `It judges nothing before it is active: ${activateCommand}`,
  ].join('\n\n');
}
