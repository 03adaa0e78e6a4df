import { type LimitChanges, type SourceLimits } from '@sluice/sources';
import { OperationError, parseLimit, viewSource } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

/** Limits as given: each a number, or `none` to remove it. */
type GivenLimits = { -readonly [L in keyof SourceLimits]?: SourceLimits[L] | 'none' };

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

  async run([sourceIdentifier]: [string], { json, ...givenLimits }: OutputOptions & GivenLimits): Promise<void> {
    const limitEntries = Object.entries(givenLimits).map(([name, limit]) => [
      name,
      limit === 'none' ? undefined : limit,
    ]);
    if (limitEntries.length === 0) throw new OperationError('name at least one limit; --help lists them');
    const action = { operation: 'sources.limits', object: sourceIdentifier, details: givenLimits };
    const source = await this.registry.change(action, async (writer, registry) =>
      viewSource(await writer.setLimits(sourceIdentifier, Object.fromEntries(limitEntries) as LimitChanges), registry),
    );
    const toText = (): string => `Limits changed; they hold within a second.\n\n${describeSource(source)}`;
    this.output.print(source, { json: json === true }, toText);
  }

  @Option({ flags: '--rate-per-second <n>', description: 'Requests per second; 0 means no limit' })
  ratePerSecond(text: string): number | 'none' {
    return parseLimit('--rate-per-second', text, { min: 0 });
  }

  @Option({ flags: '--burst <n>', description: 'Requests at once; by default those of one second' })
  burst(text: string): number | 'none' {
    return parseLimit('--burst', text, { min: 1, isWhole: true });
  }

  @Option({ flags: '--daily-quota <n>', description: 'Events and catalog entities per day (UTC)' })
  dailyQuota(text: string): number | 'none' {
    return parseLimit('--daily-quota', text, { min: 0, isWhole: true });
  }

  @Option({
    flags: '--daily-people-quota <n>',
    description: 'Identify messages and registrations of devices per day (UTC); by default as --daily-quota',
  })
  dailyPeopleQuota(text: string): number | 'none' {
    return parseLimit('--daily-people-quota', text, { min: 0, isWhole: true });
  }

  @Option({ flags: '--names-per-day <n>', description: 'Names in free-form objects on two days (UTC) in a row' })
  namesPerDay(text: string): number | 'none' {
    return parseLimit('--names-per-day', text, { min: 1, isWhole: true });
  }
}
