import { clickhouseVariables } from '@sluice/clickhouse';
import {
  type ActivationChange,
  type ActivationPreview,
  assertObserved,
  OperationError,
  previewActivation,
  makeSelectRows,
} from '@sluice/operations';
import { type PlanMode, planModes, type PlanRegistry } from '@sluice/plans';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { assertSource, PlanAccess, type PlanRegistries } from './plan-access.js';
import { parseMode, parseVersion, parseVersions } from './plan-options.js';
import { describePreview } from './plan-text.js';

interface ActivateOptions extends OutputOptions {
  plan?: number[];
  mode?: PlanMode;
  candidate?: number;
  none?: boolean;
  yes?: boolean;
}

@SubCommand({
  name: 'activate',
  arguments: '<sourceIdentifier>',
  description: 'Make plans judge the messages of a source; shows what changes, and --yes does it',
})
export class ActivatePlanCommand extends PrintingCommand {
  constructor(
    private readonly access: PlanAccess,
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run([source]: [string], { yes = false, ...options }: ActivateOptions): Promise<void> {
    if (options.none === true) {
      await this.deactivate(source, yes, options);
      return;
    }
    const preview = await this.access.use((registries) => this.preview(registries, source, options));
    assertObserved(preview);
    if (yes) {
      const { versions, mode, candidate } = preview;
      const action = { operation: 'plans.activate', object: source, details: { versions, mode, candidate } };
      await this.access.change(action, (writer) => writer.activate(source, preview));
    }
    this.output.print(preview, options, (shownPreview) => describePreview(shownPreview, yes));
  }

  private preview(
    { plans, sources }: PlanRegistries,
    source: string,
    options: ActivateOptions,
  ): Promise<ActivationPreview> {
    assertSource(sources, source);
    const change = makeChange(plans, source, options);
    // Mode refuse alone needs the stored messages: they show what it would refuse.
    const select = change.mode === 'refuse' ? makeSelectRows(this.connection.read(clickhouseVariables)) : undefined;
    return previewActivation(select, plans, change);
  }

  private async deactivate(source: string, yes: boolean, options: OutputOptions): Promise<void> {
    if (yes) {
      const action = { operation: 'plans.activate', object: source, details: { versions: [] } };
      await this.access.change(action, (writer) => writer.deactivate(source));
    }
    this.output.print({ source, versions: [] }, options, () =>
      yes ? `Messages of ${source} are no longer judged.` : 'Nothing was changed. Add --yes to do it.',
    );
  }

  @Option({ flags: '--plan <versions>', description: 'Versions, with commas: a message that fits one of them fits' })
  plan(text: string): number[] {
    return parseVersions('--plan', text);
  }

  @Option({
    flags: `--mode <${planModes.join('|')}>`,
    description: "What happens to the rest; the plan's own mode, or observe, by default",
  })
  mode(text: string): PlanMode {
    return parseMode(text);
  }

  @Option({ flags: '--candidate <version>', description: 'Observe this version next to the active ones' })
  candidate(text: string): number {
    return parseVersion('--candidate', text);
  }

  @Option({ flags: '--none', description: 'Judge nothing from now on' })
  none(): boolean {
    return true;
  }

  @Option({ flags: '--yes', description: 'Do it' })
  yes(): boolean {
    return true;
  }
}

/** Versions that are not named stay, with their mode; a candidate that is not named ends. @throws OperationError */
function makeChange(plans: PlanRegistry, source: string, { plan, mode, candidate }: ActivateOptions): ActivationChange {
  const active = plans.activation(source);
  const versions = plan ?? active?.versions ?? [];
  if (versions.length === 0 && candidate === undefined)
    throw new OperationError('name the version of a plan: --plan <version>');
  const [newest] = [...versions].sort((a, b) => b - a);
  const plannedMode = newest === undefined ? undefined : plans.plan(source, newest)?.mode;
  const activeMode = plan ? undefined : active?.mode;
  return {
    source,
    versions,
    mode: mode ?? activeMode ?? plannedMode ?? 'observe',
    ...(candidate !== undefined && { candidate }),
  };
}
