import { OperationError } from '@sluice/operations';
import {
  convertPlan,
  diffPlans,
  type ForeignForm,
  foreignForms,
  nextVersion,
  type Plan,
  type PlanDifference,
  type PlanImport,
  planImportOf,
  type PlanRegistry,
} from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { assertSource, PlanAccess, type PlanRegistries } from './plan-access.js';
import { planOf, readJson, readPlan } from './plan-file.js';
import { describeDifferences } from './plan-text.js';

interface ImportOptions extends OutputOptions {
  from?: ForeignForm;
  source?: string[];
  snakeCase?: boolean;
  dryRun?: boolean;
}

interface ImportedPlan extends Pick<PlanImport, 'created' | 'unchanged'> {
  version: number;
  /** Version that it was compared with. */
  before: number | undefined;
  differences: readonly PlanDifference[];
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
    // A wrong file is refused before Kafka is asked.
    const read = await planReader(file, options);
    const planned = ({ plans, sources }: PlanRegistries) => {
      const plan = read(plans);
      for (const source of plan.sources) assertSource(sources, source);
      return { found: planImportOf(plans, plan), imported: describe(plans, plan) };
    };
    const imported = dryRun
      ? await this.access.use((registries) => planned(registries).imported)
      : await this.access.change(
          { operation: 'plans.import', object: file, details: {} },
          async (writer, registries) => {
            const { found, imported: done } = planned(registries);
            await writer.import(found);
            return done;
          },
        );
    this.output.print(imported, options, (done) => toText(done, dryRun));
  }

  @Option({ flags: `--from <${foreignForms.join('|')}>`, description: 'The file is a tracking plan of this service' })
  from(text: string): ForeignForm {
    const form = foreignForms.find((one) => one === text);
    if (form) return form;
    throw new OperationError(`--from must be one of ${foreignForms.join(', ')}; it is '${text}'`);
  }

  @Option({ flags: '--source <sources>', description: 'With --from: the sources of the plan, with commas' })
  source(text: string): string[] {
    return text.split(',').map((one) => one.trim());
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

type ReadPlan = (registry: PlanRegistry) => Plan;

/** Reads the file at once. A plan of another service gets the next version, which only the registry knows. */
async function planReader(file: string, { from, source, snakeCase = false }: ImportOptions): Promise<ReadPlan> {
  if (from === undefined) {
    if (source || snakeCase)
      throw new OperationError('--source and --snake-case are for --from: our own form names its sources');
    const plan = await readPlan(file);
    return () => plan;
  }
  if (!source) throw new OperationError(`name the sources of the plan: --source <sourceIdentifier>`);
  const value = await readJson(file);
  const convert = (version: number): Plan =>
    planOf(file, () => convertPlan(from, value, { version, sources: source, snakeCase }));
  convert(1);
  return (registry) => convert(nextVersion(registry, source));
}

/** Compares with the newest other version of the first source. */
function describe(registry: PlanRegistry, plan: Plan): ImportedPlan {
  const [source = ''] = plan.sources;
  const before = registry
    .plansOf(source)
    .filter(({ version }) => version !== plan.version)
    .at(-1);
  const { created, unchanged } = planImportOf(registry, plan);
  return { version: plan.version, created, unchanged, before: before?.version, differences: diffPlans(before, plan) };
}

function toText({ version, created, unchanged, before, differences }: ImportedPlan, dryRun: boolean): string {
  const [first] = created;
  if (first === undefined) return `Version ${version} is stored for ${unchanged.join(', ')} already; nothing changes.`;
  const verb = dryRun ? 'would be written' : 'written';
  const against = before === undefined ? 'It is the first plan:' : `Differences from version ${before}:`;
  const there = unchanged.length === 0 ? '.' : `; ${unchanged.join(', ')} had it already.`;
  const next = `operator plans activate ${first} --plan ${version} --mode observe`;
  return [
    `Version ${version} ${verb} for ${created.join(', ')}${there}`,
    against,
    describeDifferences(differences),
    `It judges nothing before it is active: ${next}`,
  ].join('\n\n');
}
