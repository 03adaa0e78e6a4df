import { OperationError, type PersonId } from '@sluice/operations';
import { Option } from 'nest-commander';
import { type OutputOptions, PrintingCommand } from '../output.js';
import { gatewayAddress, metricsAddress } from '../status/metrics-urls.js';
import { PeopleCommand, peopleOf, type PeopleOptions } from './people-options.js';

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
  gateway(url: string, others: string[] = []): string[] {
    return [...others, gatewayAddress(url)];
  }

  @Option({ flags: '--consumer <urls...>', description: 'Addresses of the consumers’ /metrics' })
  consumer(url: string, others: string[] = []): string[] {
    return [...others, metricsAddress('--consumer', url)];
  }
}

/** A command about people and everything that is stored of them. */
export abstract class PersonCommand extends PeopleCommand {
  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the gateways’ /metrics: all of them' })
  gateway(url: string, others: string[] = []): string[] {
    return [...others, gatewayAddress(url)];
  }

  @Option({ flags: '--consumer <urls...>', description: 'Addresses of the consumers’ /metrics' })
  consumer(url: string, others: string[] = []): string[] {
    return [...others, metricsAddress('--consumer', url)];
  }

  @Option({ flags: '--seller <sellerId...>', description: 'Ids of sellers of the catalog' })
  seller(id: string, others: string[] = []): string[] {
    return [...others, id];
  }

  @Option({ flags: '--reverse', description: 'Users of the same device are the same person too' })
  reverse(): boolean {
    return true;
  }
}

/**
 * The ids of each person: all options together name one person, and each line of --ids names another.
 * @param known all sources
 * @throws OperationError when no person or source is named, or the source does not exist
 */
export function personsOf(options: PersonOptions, known: readonly string[]): PersonId[][] {
  const { ids = [], seller = [] } = options;
  const { source, ids: named } = seller.length > 0 ? withSellers(options) : peopleOf(options);
  if (source !== undefined && !known.includes(source)) throw new OperationError(`There is no source ${source}.`);
  const sources = source === undefined ? known : [source];
  const inSources = (those: readonly Omit<PersonId, 'source'>[]): PersonId[] =>
    sources.flatMap((one) => those.map((id) => ({ source: one, ...id })));
  const own = [...named.slice(0, named.length - ids.length), ...seller.map((id) => ({ kind: 'seller' as const, id }))];
  return [...(own.length > 0 ? [own] : []), ...ids.map((id) => [id])].map(inSources);
}

/** Sellers may be the only ids: `peopleOf`, which wants a user or anonymous id, then gets a placeholder. */
function withSellers(options: PersonOptions): ReturnType<typeof peopleOf> {
  const { seller = [], user = [], anonymous = [], ids = [] } = options;
  if (seller.some((id) => id === '')) throw new OperationError('an id has 1 to 256 characters');
  if (user.length + anonymous.length + ids.length > 0) return peopleOf(options);
  return { source: peopleOf({ ...options, user: ['-'] }).source, ids: [] };
}
