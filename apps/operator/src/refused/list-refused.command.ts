import { Module } from '@nestjs/common';
import { OperationError } from '@sluice/operations';
import { Command, Option, SubCommand } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { parsePeriod } from '../period.js';
import { type RefusalQuestion, RefusalReader } from './refusals.js';
import { describeRefusals } from './refusals-text.js';
import { ReplayRefusedCommand } from './replay-refused.command.js';

const fallbackSinceMs = 86_400_000;
const fallbackLimit = 20;
const maxLimit = 1_000;

interface ListOptions extends OutputOptions, Partial<Pick<RefusalQuestion, 'source' | 'event' | 'limit'>> {
  since?: number;
}

@SubCommand({
  name: 'list',
  description:
    'List what gateways refused: exact counts by source and reason, the newest samples, and messages that were kept whole',
})
export class ListRefusedCommand extends PrintingCommand {
  constructor(
    private readonly refusals: RefusalReader,
    private readonly output: Output,
  ) {
    super();
  }

  async run(
    _: string[],
    { since = fallbackSinceMs, source, event, limit = fallbackLimit, ...options }: ListOptions,
  ): Promise<void> {
    const filters = { ...(source !== undefined && { source }), ...(event !== undefined && { event }) };
    const refusals = await this.refusals.read({ sinceMs: since, limit, ...filters });
    this.output.print(refusals, options, describeRefusals);
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Only what this source sent' })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--event <event>', description: 'Only kept messages of this event' })
  event(text: string): string {
    return text;
  }

  @Option({ flags: '--since <time>', description: 'Time before now: 90s, 10m, 6h, 7d; 1d by default, 30d are kept' })
  since(text: string): number {
    return parsePeriod('--since', text);
  }

  @Option({ flags: '--limit <count>', description: `Number of counts, and of samples; ${fallbackLimit} by default` })
  limit(text: string): number {
    const count = Number(text);
    if (Number.isSafeInteger(count) && count >= 1 && count <= maxLimit) return count;
    throw new OperationError(`--limit must be a whole number from 1 to ${maxLimit}; it is '${text}'`);
  }
}

@Command({
  name: 'refused',
  description: 'Requests and messages that gateways refused',
  subCommands: [ListRefusedCommand, ReplayRefusedCommand],
})
export class RefusedCommand extends NounCommand {}

@Module({
  imports: [ConnectionModule],
  providers: [RefusalReader, RefusedCommand, ListRefusedCommand, ReplayRefusedCommand],
})
export class RefusedModule {}
