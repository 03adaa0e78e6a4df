import { clickhouseVariables } from '@sluice/clickhouse';
import {
  describeChange,
  listMutes,
  makeSelectRows,
  readWatch,
  type WatchMute,
  type WatchState,
} from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { formatGrid, toOneLine } from '../terminal-text.js';

interface ListOptions extends OutputOptions {
  source?: string;
}

interface WatchReport extends WatchState {
  readonly mutes: readonly WatchMute[];
}

@SubCommand({ name: 'list', description: 'Show what changed: events that stopped or fell, types, refusals, clocks' })
export class ListChangesCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Only changes of this source' })
  source(text: string): string {
    return text;
  }

  async run(_: string[], { source = '', json }: ListOptions): Promise<void> {
    const select = makeSelectRows(this.connection.read(clickhouseVariables));
    const state = await readWatch(select, source);
    const mutes = (await listMutes(select)).filter((mute) => source === '' || mute.source === source);
    this.output.print({ ...state, mutes }, { json: json === true }, formatWatch);
  }
}

function formatWatch({ run, changes, mutes }: WatchReport): string {
  const judged = run
    ? `Judged up to ${run.judgedUntil}: ${run.judged} events; of ${run.unknown} of them the history says too little.`
    : 'Nothing was judged yet: the first run comes three minutes after a full hour.';
  const rows = changes.map((change) => [
    change.found,
    change.ended === null ? (change.mute ? 'muted' : 'open') : 'ended',
    change.source,
    toOneLine(change.event),
    toOneLine(describeChange(change)),
  ]);
  const muted = mutes.map(({ source, event, until, reason, actor }) => [
    source,
    toOneLine(event),
    until,
    toOneLine(actor),
    toOneLine(reason),
  ]);
  return [
    judged,
    changes.length === 0 ? 'No changes.' : formatGrid(['found', 'state', 'source', 'event', 'change'], rows),
    ...(mutes.length === 0 ? [] : [formatGrid(['muted source', 'event', 'until', 'by', 'why'], muted)]),
  ].join('\n\n');
}
