import { Module } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { type CanaryState, describeCanary, makeSelectRows, readCanary } from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { formatGrid } from '../terminal-text.js';

interface CanaryOptions extends OutputOptions {
  check?: boolean;
}

@Command({ name: 'canary', description: 'Show what became of the messages that gateways send to themselves' })
export class CanaryCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--check', description: 'Exit with 1 when a probe was lost or doubled, for scripts' })
  check(): boolean {
    return true;
  }

  async run(_: string[], { check = false, json }: CanaryOptions): Promise<void> {
    const state = await readCanary(makeSelectRows(this.connection.read(clickhouseVariables)));
    this.output.print(state, { json: json === true }, formatCanary);
    if (check && state.lost + state.doubled > 0) process.exitCode = 1;
  }
}

function formatCanary(state: CanaryState): string {
  const { judgedUntil, late, refused, inDoubt, unjudged, faults } = state;
  const judged = judgedUntil === null ? '' : ` Judged up to the call of ${judgedUntil}.`;
  const restTexts = [
    ...(late > 0 ? [`${late} came after they had counted as lost`] : []),
    ...(refused > 0 ? [`${refused} more were refused`] : []),
    ...(inDoubt > 0 ? [`${inDoubt} more had no answer`] : []),
    ...(unjudged > 0 ? [`of ${unjudged} more too little was left`] : []),
  ];
  const rows = faults.map((fault) => [
    fault.found,
    fault.arrived === null ? fault.kind : `${fault.kind}, arrived ${fault.arrived}`,
    fault.series,
    String(fault.number),
    fault.called,
  ]);
  const sentence = describeCanary(state);
  return [
    `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${judged}`,
    ...(restTexts.length > 0 ? [`${restTexts.join('; ')}.`] : []),
    ...(rows.length > 0 ? [formatGrid(['found', 'fault', 'series', 'number', 'called'], rows)] : []),
  ].join('\n\n');
}

@Module({ imports: [ConnectionModule], providers: [CanaryCommand] })
export class CanaryModule {}
