import { type LimitChanges, type SourceLimits } from '@sluice/sources';
import { OperationError, parseLimit, viewSource } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

/** Limits as given: each a number, or `none` to remove it. */
type Given = { -readonly [L in keyof SourceLimits]?: SourceLimits[L] | 'none' };

@SubCommand({
  name: 'limit',
  arguments: '<sourceIdentifier>',
  description: 'Set the limits of a source; `none` removes a limit',
})
export class LimitSourceCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], { json, ...given }: OutputOptions & Given): Promise<void> {
    const limits = Object.entries(given).map(([name, limit]) => [name, limit === 'none' ? undefined : limit]);
    if (limits.length === 0) throw new OperationError('name at least one limit; --help lists them');
    const action = { operation: 'sources.limits', object: sourceIdentifier, details: given };
    const source = await this.registry.change(action, async (writer, registry) =>
      viewSource(await writer.setLimits(sourceIdentifier, Object.fromEntries(limits) as LimitChanges), registry),
    );
    const toText = (): string => `Limits changed; they hold within a second.\n\n${describeSource(source)}`;
    this.output.print(source, { json: json === true }, toText);
  }

  @Option({ flags: '--rate-per-second <n>', description: 'Requests per second; 0 means no limit' })
  ratePerSecond(text: string): number | 'none' {
    return parseLimit('--rate-per-second', text, { least: 0 });
  }

  @Option({ flags: '--burst <n>', description: 'Requests at once; by default those of one second' })
  burst(text: string): number | 'none' {
    return parseLimit('--burst', text, { least: 1, isWhole: true });
  }

  @Option({ flags: '--daily-quota <n>', description: 'Messages per day (UTC)' })
  dailyQuota(text: string): number | 'none' {
    return parseLimit('--daily-quota', text, { least: 0, isWhole: true });
  }

  @Option({ flags: '--names-per-day <n>', description: 'Names in free-form objects on two days (UTC) in a row' })
  namesPerDay(text: string): number | 'none' {
    return parseLimit('--names-per-day', text, { least: 1, isWhole: true });
  }
}
