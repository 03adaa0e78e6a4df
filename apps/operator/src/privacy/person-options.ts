import { OperationError, type PersonId } from '@sluice/operations';
import { Option } from 'nest-commander';
import { type OutputOptions, PrintingCommand } from '../output.js';
import { parseGatewayAddress, parseMetricsAddress } from '../status/metrics-urls.js';
import { PeopleCommand, requirePeople, type PeopleOptions } from './people-options.js';

export interface ProcessOptions extends OutputOptions {
  gateway?: string[];
  consumer?: string[];
}

export interface PersonOptions extends ProcessOptions, PeopleOptions {
  seller?: string[];
  reverse?: boolean;
}

/** A command that reads the /metrics of gateways and consumers. */
export abstract class ProcessCommand extends PrintingCommand {
  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the gateways’ /metrics: all of them' })
  gateway(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseGatewayAddress(url)];
  }

  @Option({ flags: '--consumer <urls...>', description: 'Addresses of the consumers’ /metrics' })
  consumer(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseMetricsAddress('--consumer', url)];
  }
}

/** A command about people and everything that is stored of them. */
export abstract class PersonCommand extends PeopleCommand {
  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the gateways’ /metrics: all of them' })
  gateway(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseGatewayAddress(url)];
  }

  @Option({ flags: '--consumer <urls...>', description: 'Addresses of the consumers’ /metrics' })
  consumer(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseMetricsAddress('--consumer', url)];
  }

  @Option({ flags: '--seller <sellerId...>', description: 'Ids of sellers of the catalog' })
  seller(id: string, earlierIds: string[] = []): string[] {
    return [...earlierIds, id];
  }

  @Option({ flags: '--reverse', description: 'Users of the same device are the same person too' })
  reverse(): boolean {
    return true;
  }
}

/**
 * The ids of each person: all options together name one person, and each line of --ids names another.
 * @param allSources all sources
 * @throws OperationError when no person or source is named, or the source does not exist
 */
export function requirePersons(options: PersonOptions, allSources: readonly string[]): PersonId[][] {
  const { ids = [], seller = [] } = options;
  const { source, ids: namedIds } = seller.length > 0 ? withSellers(options) : requirePeople(options);
  if (source !== undefined && !allSources.includes(source)) throw new OperationError(`There is no source ${source}.`);
  const sources = source === undefined ? allSources : [source];
  const repeatInSources = (personIds: readonly Omit<PersonId, 'source'>[]): PersonId[] =>
    sources.flatMap((sourceIdentifier) => personIds.map((id) => ({ source: sourceIdentifier, ...id })));
  const optionIds = [
    ...namedIds.slice(0, namedIds.length - ids.length),
    ...seller.map((id) => ({ kind: 'seller' as const, id })),
  ];
  return [...(optionIds.length > 0 ? [optionIds] : []), ...ids.map((id) => [id])].map(repeatInSources);
}

/** Sellers may be the only ids: `requirePeople`, which wants a user or anonymous id, then gets a placeholder. */
function withSellers(options: PersonOptions): ReturnType<typeof requirePeople> {
  const { seller = [], user = [], anonymous = [], ids = [] } = options;
  if (seller.some((id) => id === '')) throw new OperationError('an id has 1 to 256 characters');
  if (user.length + anonymous.length + ids.length > 0) return requirePeople(options);
  return { source: requirePeople({ ...options, user: ['-'] }).source, ids: [] };
}
