import { readFileSync } from 'node:fs';
import { isObject } from '@sluice/contracts';
import { OperationError, type NamedPeople } from '@sluice/operations';
import { Option } from 'nest-commander';
import { type OutputOptions, PrintingCommand } from '../output.js';

export interface PeopleOptions extends OutputOptions {
  source?: string;
  allSources?: boolean;
  user?: string[];
  anonymous?: string[];
  ids?: NamedPeople['ids'];
  by?: string;
}

const maxIdLength = 256;
/** Upper bound of the ids that an audit record names. */
export const maxNamed = 100;

/** A command about people, named by options or, to stay out of the shell's history, by a file. */
export abstract class PeopleCommand extends PrintingCommand {
  @Option({ flags: '--source <sourceIdentifier>', description: 'The source that the ids are of' })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--all-sources', description: 'The ids in every source' })
  allSources(): boolean {
    return true;
  }

  @Option({ flags: '--user <userId...>', description: 'User ids' })
  user(text: string, earlierIds: string[] = []): string[] {
    return [...earlierIds, text];
  }

  @Option({ flags: '--anonymous <anonymousId...>', description: 'Anonymous ids' })
  anonymous(text: string, earlierIds: string[] = []): string[] {
    return [...earlierIds, text];
  }

  @Option({
    flags: '--ids <file>',
    description: 'File with a line such as {"userId":"…"} or {"anonymousId":"…"} for each id; - reads standard input',
  })
  ids(file: string): NamedPeople['ids'] {
    return parseIds(readFileSync(file === '-' ? 0 : file, 'utf8'));
  }

  @Option({ flags: '--by <name>', description: 'Who asked for it, for the audit: a ticket, never a person’s id' })
  by(text: string): string {
    return text;
  }
}

/** @throws OperationError when no person or no source is named. */
export function requirePeople({
  source,
  allSources = false,
  user = [],
  anonymous = [],
  ids = [],
}: PeopleOptions): NamedPeople {
  if ((source === undefined) !== allSources) throw new OperationError('name a source: --source, or --all-sources');
  const namedIds = [
    ...user.map((id) => ({ kind: 'user' as const, id })),
    ...anonymous.map((id) => ({ kind: 'anonymous' as const, id })),
    ...ids,
  ];
  if (namedIds.length === 0) throw new OperationError('name someone: --user, --anonymous or --ids');
  if (namedIds.some(({ id }) => id === '' || Array.from(id).length > maxIdLength))
    throw new OperationError(`an id has 1 to ${maxIdLength} characters`);
  return { source, ids: namedIds };
}

/** @throws OperationError that names the line, never what is in it. */
function parseIds(text: string): NamedPeople['ids'] {
  return text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => {
      const { userId, anonymousId } = parseObject(line);
      if (typeof userId === 'string' && anonymousId === undefined) return { kind: 'user' as const, id: userId };
      if (typeof anonymousId === 'string' && userId === undefined)
        return { kind: 'anonymous' as const, id: anonymousId };
      throw new OperationError(`--ids: line ${number} must be {"userId":"…"} or {"anonymousId":"…"}`);
    });
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
