import { Module } from '@nestjs/common';
import { OperationError } from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { gatewayUrlVariables, writeKeyVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ImportReport } from '../files/import-report.js';
import { type ImportState } from '../files/import-progress.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { chooseFormat, type FormatName, formatNames, parseFormat } from './formats/formats.js';
import { importExport } from './import-export.js';
import { TimeRange } from './time-range.js';

interface ImportOptions extends OutputOptions {
  from: FormatName;
  gatewayUrl?: string;
  dryRun?: boolean;
  restart?: boolean;
  timezone?: string;
}

interface ImportSummary {
  file: string;
  records: number;
  refused: number;
  partlyStored: number;
  /** Times of the first and last message of the file; absent without one that has a time. */
  firstTime?: string;
  lastTime?: string;
  /** Absent when there is nothing to report. */
  report?: string;
}

const timeoutMs = 60_000;

@Command({
  name: 'import',
  arguments: '<files...>',
  description: 'Send exports of another system (lines of JSON, gzipped or not) to a source; safe to repeat',
})
export class ImportCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run(files: string[], options: ImportOptions): Promise<void> {
    const { from, dryRun = false, restart = false, timezone } = options;
    const toItems = chooseFormat(from, timezone);
    const writeKey = this.writeKey();
    const gatewayUrl = options.gatewayUrl ?? this.connection.read(gatewayUrlVariables).GATEWAY_URL;
    const imported: ImportSummary[] = [];
    for (const file of files) {
      const startedAt = performance.now();
      const times = new TimeRange();
      const onProgress = (state: ImportState): void => {
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        process.stderr.write(`${file}: ${describeProgress(state, dryRun)}, ${seconds} s\n`);
      };
      const request = {
        file,
        from,
        toItems: (record: Parameters<typeof toItems>[0]) => times.note(toItems(record)),
        gatewayUrl,
        writeKey,
        dryRun,
        restart,
        timeoutMs,
        onProgress,
      };
      imported.push({ ...summarize(file, await importExport(request)), ...times.range });
    }
    this.output.print(imported, options, (summaries) =>
      summaries.map((fileSummary) => toText(fileSummary, dryRun)).join('\n'),
    );
    const refused = imported.reduce((sum, fileSummary) => sum + fileSummary.refused, 0);
    // The exit code shows scripts that some records were not imported.
    if (refused > 0) throw new OperationError(`${refused} records ${dryRun ? 'would be' : 'were'} refused`);
  }

  private writeKey(): string {
    const { SLUICE_WRITE_KEY } = this.connection.read(writeKeyVariables);
    if (/^[A-Za-z0-9]{12}_\S+$/.test(SLUICE_WRITE_KEY)) return SLUICE_WRITE_KEY;
    throw new OperationError('the write key of the source is needed in SLUICE_WRITE_KEY: <source>_<API key>');
  }

  @Option({ flags: `--from <${formatNames.join('|')}>`, description: 'System that wrote the files', required: true })
  parseFrom(text: string): FormatName {
    return parseFormat(text);
  }

  @Option({ flags: '--gateway-url <url>', description: 'Gateway; by default that of the local stack, or GATEWAY_URL' })
  parseGatewayUrl(text: string): string {
    if (/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) return text;
    throw new OperationError(`--gateway-url must be an http or https URL; it is '${text}'`);
  }

  @Option({ flags: '--dry-run', description: 'Check every record, also by the tracking plan, and store nothing' })
  parseDryRun(): boolean {
    return true;
  }

  @Option({
    flags: '--timezone <zone>',
    description: 'Zone of the times of mixpanel, in projects made before 2023; UTC by default',
  })
  parseTimezone(text: string): string {
    return text;
  }

  @Option({ flags: '--restart', description: 'Ignore the progress of an earlier import of a file' })
  parseRestart(): boolean {
    return true;
  }
}

const summarize = (file: string, { settled, refused, partlyStored }: ImportState): ImportSummary => ({
  file,
  records: settled,
  refused,
  partlyStored,
  ...(refused + partlyStored > 0 && { report: ImportReport.fileFor(file) }),
});

const describeProgress = ({ settled, refused, partlyStored }: ImportState, dryRun: boolean): string =>
  `${settled} records ${dryRun ? 'checked' : 'sent'}, ${refused} refused, ${partlyStored} stored in part`;

function toText(imported: ImportSummary, dryRun: boolean): string {
  const { file, records, refused, partlyStored, report, firstTime, lastTime } = imported;
  const counts = `${file}: ${records} records ${dryRun ? 'checked' : 'sent'}, ${refused} refused, ${partlyStored} stored in part.`;
  const text = firstTime === undefined ? counts : `${counts}\nFrom ${firstTime} to ${lastTime ?? firstTime}.`;
  return report === undefined ? text : `${text}\nLines and reasons: ${report}`;
}

@Module({ imports: [ConnectionModule], providers: [ImportCommand] })
export class ImportModule {}
