import { randomUUID } from 'node:crypto';
import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import {
  OperationError,
  type NamedPeople,
  makeShownIds,
  type SuppressionChange,
  suppressPeople,
  unsuppressPeople,
} from '@sluice/operations';
import { privacyVariables } from '@sluice/privacy';
import { Injectable } from '@nestjs/common';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ShellActions } from '../connection/shell-actions.js';
import { Output } from '../output.js';
import { formatGrid } from '../terminal-text.js';
import { maxNamed, PeopleCommand, requirePeople, type PeopleOptions } from './people-options.js';

type SuppressionWork = typeof suppressPeople;

interface SuppressionOptions extends PeopleOptions {
  onlyNamed?: boolean;
  request?: string;
}

/** A command that changes whose messages are dropped. */
abstract class SuppressionCommand extends PeopleCommand {
  @Option({
    flags: '--only-named',
    description: 'Leave out the anonymous ids that identify messages give to the users; needs no ClickHouse',
  })
  onlyNamed(): boolean {
    return true;
  }

  @Option({ flags: '--request <id>', description: 'Id of the request in your own records; a new one by default' })
  request(text: string): string {
    if (!/^[\w.:/-]{1,64}$/.test(text)) throw new OperationError('--request must be 1 to 64 of A-Z a-z 0-9 _ . : / -');
    return text;
  }
}

/** Records the action, with hashes in place of ids, then changes suppressions. */
@Injectable()
export class SuppressionAccess {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
  ) {}

  change(operation: string, change: SuppressionWork, options: SuppressionOptions): Promise<SuppressionChange> {
    const people: NamedPeople = requirePeople(options);
    const { request = randomUUID() } = options;
    const config = this.connection.read({ ...kafkaVariables, ...privacyVariables });
    const tables = options.onlyNamed === true ? undefined : this.connection.read(clickhouseVariables);
    const ids = makeShownIds(config, people);
    const details = {
      request,
      by: options.by ?? '',
      isOnlyNamed: tables === undefined,
      count: ids.length,
      ids: ids.slice(0, maxNamed).map(({ kind, hash }) => `${kind}:${hash}`),
    };
    return this.actions.record({ operation, object: people.source ?? 'all sources', details }, () =>
      change(config, people, request, tables),
    );
  }
}

@SubCommand({
  name: 'suppress',
  description: 'Drop all further messages of people, whatever brings them; the answers of gateways stay the same',
})
export class SuppressCommand extends SuppressionCommand {
  constructor(
    private readonly access: SuppressionAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: SuppressionOptions): Promise<void> {
    const change = await this.access.change('privacy.suppress', suppressPeople, options);
    this.output.print(change, options, toText('Suppressed'));
  }
}

@SubCommand({
  name: 'unsuppress',
  description: 'Take messages of people again; what an erasure deleted stays deleted',
})
export class UnsuppressCommand extends SuppressionCommand {
  constructor(
    private readonly access: SuppressionAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: SuppressionOptions): Promise<void> {
    const change = await this.access.change('privacy.unsuppress', unsuppressPeople, options);
    this.output.print(change, options, toText('No longer suppressed'));
  }
}

const toText =
  (heading: string) =>
  ({ request, changed, offset }: SuppressionChange): string => {
    if (changed.length === 0) return 'None of them is suppressed.';
    const rows = changed.map(({ source, kind, hash }) => [source, kind, hash]);
    return [
      `${heading}: ${changed.length} (request ${request}, offset ${offset})`,
      formatGrid(['SOURCE', 'KIND', 'HASH'], rows),
    ].join('\n\n');
  };
