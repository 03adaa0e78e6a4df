import { type LetterConditions, OperationError } from '@sluice/operations';
import { Option } from 'nest-commander';
import { type OutputOptions, PrintingCommand } from '../output.js';

export const usualLimit = 100;

export interface SelectionOptions extends OutputOptions {
  topic?: string;
  reason?: string;
  limit?: number;
}

export const selectionOf = ({ topic, reason, limit = usualLimit }: SelectionOptions): LetterConditions => ({
  ...(topic !== undefined && { topic }),
  ...(reason !== undefined && { reason }),
  limit,
});

/** A command on some of the dead letters. */
export abstract class SelectingCommand extends PrintingCommand {
  @Option({ flags: '--topic <topic>', description: 'Only letters of this topic, such as tracking.track.v1' })
  topic(name: string): string {
    return name;
  }

  @Option({ flags: '--reason <text>', description: 'Only letters whose reason contains the text' })
  reason(text: string): string {
    return text;
  }

  @Option({ flags: '--limit <count>', description: `Number of letters, newest first; ${usualLimit} by default` })
  limit(text: string): number {
    const count = Number(text);
    if (!Number.isSafeInteger(count) || count < 1)
      throw new OperationError(`--limit must be a whole number of at least 1`);
    return count;
  }
}
