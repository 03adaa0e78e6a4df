import { Injectable } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { muteEvent, OperationError, type WatchMute } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ShellActions, userName } from '../connection/shell-actions.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { parsePeriod } from '../period.js';
import { formatTime, toOneLine } from '../terminal-text.js';

const maxReasonLength = 500;
const maxMuteMs = 366 * 86_400_000;

interface EventOptions extends OutputOptions {
  event?: string;
  reason?: string;
  for?: number;
}

/** A command that changes whether an event is watched. */
@Injectable()
abstract class MuteCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
    protected readonly output: Output,
  ) {
    super();
  }

  @Option({
    flags: '--event <name>',
    description: 'Name of the event; without it, changes of the whole source: refusals and clocks',
  })
  event(text: string): string {
    return text;
  }

  /** Records the action with its reason, then writes the mute. */
  protected async change(operation: string, mute: Omit<WatchMute, 'actor'>): Promise<WatchMute> {
    if (!/^[A-Za-z0-9]{12}$/.test(mute.source))
      throw new OperationError(`<sourceIdentifier> must be 12 letters and digits; it is '${toOneLine(mute.source)}'`);
    const config = this.connection.read(clickhouseVariables);
    const { source, event, until, reason } = mute;
    const actor = userName();
    await this.actions.record({ operation, object: source, details: { event, until, reason } }, () =>
      muteEvent(config, { ...mute, actor }),
    );
    return { ...mute, actor };
  }
}

@SubCommand({
  name: 'mute',
  arguments: '<sourceIdentifier>',
  description: 'Raise no alarm for an event for a time, such as one that ends on purpose',
})
export class MuteEventCommand extends MuteCommand {
  @Option({ flags: '--for <time>', description: 'How long: 12h, 7d, at most 366d', required: true })
  for(text: string): number {
    const periodMs = parsePeriod('--for', text);
    if (periodMs > maxMuteMs) throw new OperationError(`--for must be 366d at most; it is '${text}'`);
    return periodMs;
  }

  @Option({ flags: '--reason <text>', description: 'Why, for the audit', required: true })
  reason(text: string): string {
    if (text.trim() === '' || text.length > maxReasonLength)
      throw new OperationError(`--reason must have 1 to ${maxReasonLength} characters`);
    return text;
  }

  async run([source]: [string], { event = '', reason = '', for: periodMs = 0, json }: EventOptions): Promise<void> {
    const until = new Date(Math.floor((Date.now() + periodMs) / 1_000) * 1_000).toISOString();
    const mute = await this.change('watch.mute', { source, event, until, reason });
    const name = event === '' ? 'The source' : `The event ${toOneLine(event)}`;
    this.output.print(mute, { json: json === true }, () => `${name} is muted until ${formatTime(until)}.`);
  }
}

@SubCommand({ name: 'unmute', arguments: '<sourceIdentifier>', description: 'Watch an event again' })
export class UnmuteEventCommand extends MuteCommand {
  async run([source]: [string], { event = '', json }: EventOptions): Promise<void> {
    const until = new Date(0).toISOString();
    const mute = await this.change('watch.unmute', { source, event, until, reason: '' });
    const name = event === '' ? 'The source' : `The event ${toOneLine(event)}`;
    this.output.print(mute, { json: json === true }, () => `${name} is watched again.`);
  }
}
