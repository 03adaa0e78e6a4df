import { type LetterConditions, type LettersToRead, OperationError } from '@sluice/operations';
import { Option } from 'nest-commander';
import { type OutputOptions, PrintingCommand } from '../output.js';

export const fallbackLimit = 100;

export interface SelectionOptions extends OutputOptions {
  topic?: string;
  reason?: string;
  source?: string;
  from?: number;
  to?: number;
  limit?: number;
}

/** Conditions that the options state. */
export const toConditions = ({ topic, reason, source, from, to }: SelectionOptions): LetterConditions => ({
  ...(topic !== undefined && { topic }),
  ...(reason !== undefined && { reason }),
  ...(source !== undefined && { source }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

export const toSelection = ({ limit = fallbackLimit, ...options }: SelectionOptions): LettersToRead => ({
  ...toConditions(options),
  limit,
});

/** A time of ISO 8601 with its zone, in milliseconds since 1970. @throws OperationError that names the option. */
function parseTime(option: string, text: string): number {
  const time = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new OperationError(`${option} must be a time like 2026-03-01T06:00:00Z; it is '${text}'`);
  return time;
}

/** A command on the dead letters that match. */
export abstract class FilteringCommand extends PrintingCommand {
  @Option({ flags: '--topic <topic>', description: 'Only letters of this topic, such as tracking.track.v1' })
  topic(name: string): string {
    return name;
  }

  @Option({ flags: '--reason <text>', description: 'Only letters whose reason contains the text' })
  reason(text: string): string {
    return text;
  }

  @Option({ flags: '--source <id>', description: 'Only letters whose messages are of this source' })
  source(id: string): string {
    return id;
  }

  @Option({ flags: '--from <time>', description: 'Only letters that were refused at this time or later, ISO 8601' })
  from(text: string): number {
    return parseTime('--from', text);
  }

  @Option({ flags: '--to <time>', description: 'Only letters that were refused before this time, ISO 8601' })
  to(text: string): number {
    return parseTime('--to', text);
  }
}

/** A command on some of the dead letters. */
export abstract class SelectingCommand extends FilteringCommand {
  @Option({ flags: '--limit <count>', description: `Number of letters, newest first; ${fallbackLimit} by default` })
  limit(text: string): number {
    const count = Number(text);
    if (!Number.isSafeInteger(count) || count < 1)
      throw new OperationError(`--limit must be a whole number of at least 1`);
    return count;
  }
}
