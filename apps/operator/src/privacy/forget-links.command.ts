import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import {
  forgetLinks,
  type LinkChanges,
  OperationError,
  type NamedPeople,
  previewForgetting,
  makeShownIds,
  TableServers,
} from '@sluice/operations';
import { privacyVariables } from '@sluice/privacy';
import { Option, SubCommand } from 'nest-commander';
import { ShellActions } from '../connection/shell-actions.js';
import { Connection } from '../connection/connection.js';
import { Output } from '../output.js';
import { ErasureAccess } from './erasure-access.js';
import { maxNamed, PeopleCommand, requirePeople, type PeopleOptions } from './people-options.js';
import { requirePersons } from './person-options.js';

interface ForgetOptions extends PeopleOptions {
  yes?: boolean;
}

@SubCommand({
  name: 'forget-links',
  description: 'Part the ids that identify messages of an id linked until now; says how many, and does it with --yes',
})
export class ForgetLinksCommand extends PeopleCommand {
  constructor(
    private readonly connection: Connection,
    private readonly access: ErasureAccess,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--yes', description: 'Do it' })
  yes(): boolean {
    return true;
  }

  async run(_: string[], options: ForgetOptions): Promise<void> {
    const { yes = false } = options;
    const people = requirePeople(options);
    const ids = requirePersons(options, await this.access.sources()).flat();
    const servers = new TableServers(this.connection.read(clickhouseVariables));
    try {
      const changes = await previewForgetting(servers, ids);
      if (yes) await this.record(people, options, () => forgetLinks(servers, ids, Date.now()));
      this.output.print({ ...changes, isDone: yes }, options, describeChanges);
    } finally {
      await servers.close();
    }
    if (!yes) throw new OperationError('nothing was changed; repeat it with --yes');
  }

  /** Records who asks, with hashes in place of ids, then forgets. */
  private record(people: NamedPeople, { by = '' }: ForgetOptions, forget: () => Promise<void>): Promise<void> {
    const config = this.connection.read({ ...kafkaVariables, ...privacyVariables });
    const ids = makeShownIds(config, people)
      .slice(0, maxNamed)
      .map(({ kind, hash }) => `${kind}:${hash}`);
    const details = { by, count: people.ids.length, ids };
    const action = { operation: 'privacy.forget-links', object: people.source ?? 'all sources', details };
    return this.actions.record(action, forget);
  }
}

function describeChanges({ sources, links, moved, isDone }: LinkChanges & { isDone: boolean }): string {
  const [ends, belongs] = isDone ? ['ended', 'belongs'] : ['would end', 'would belong'];
  return [
    `- ${links} links ${ends} in ${sources.join(', ')}: so many anonymous ids and all that was done under them are parted from their user.`,
    `- ${moved} of these ids now ${belongs} to another user, the first one of those whose links stay.`,
    '- Identify messages that arrive later link again.',
  ].join('\n');
}
