import { Module } from '@nestjs/common';
import { OperationError } from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { gatewayUrlVariables, writeKeyVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ImportReport } from '../files/import-report.js';
import { type ImportState } from '../files/import-progress.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { type FormatName, formatNames, formats, parseFormat } from './formats/formats.js';
import { importExport } from './import-export.js';

interface ImportOptions extends OutputOptions {
  from: FormatName;
  gatewayUrl?: string;
  dryRun?: boolean;
  restart?: boolean;
}

interface Imported {
  file: string;
  records: number;
  refused: number;
  partlyStored: number;
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
    const { from, dryRun = false, restart = false } = options;
    const writeKey = this.writeKey();
    const gatewayUrl = options.gatewayUrl ?? this.connection.read(gatewayUrlVariables).GATEWAY_URL;
    const imported: Imported[] = [];
    for (const file of files) {
      const startedAt = performance.now();
      const onProgress = (state: ImportState): void => {
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        process.stderr.write(`${file}: ${describe(state, dryRun)}, ${seconds} s\n`);
      };
      const request = {
        file,
        from,
        toItems: formats[from],
        gatewayUrl,
        writeKey,
        dryRun,
        restart,
        timeoutMs,
        onProgress,
      };
      imported.push(summary(file, await importExport(request)));
    }
    this.output.print(imported, options, (all) => all.map((one) => toText(one, dryRun)).join('\n'));
    const refused = imported.reduce((sum, one) => sum + one.refused, 0);
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

  @Option({ flags: '--restart', description: 'Ignore the progress of an earlier import of a file' })
  parseRestart(): boolean {
    return true;
  }
}

const summary = (file: string, { settled, refused, partlyStored }: ImportState): Imported => ({
  file,
  records: settled,
  refused,
  partlyStored,
  ...(refused + partlyStored > 0 && { report: ImportReport.fileOf(file) }),
});

const describe = ({ settled, refused, partlyStored }: ImportState, dryRun: boolean): string =>
  `${settled} records ${dryRun ? 'checked' : 'sent'}, ${refused} refused, ${partlyStored} stored in part`;

function toText({ file, records, refused, partlyStored, report }: Imported, dryRun: boolean): string {
  const text = `${file}: ${records} records ${dryRun ? 'checked' : 'sent'}, ${refused} refused, ${partlyStored} stored in part.`;
  return report === undefined ? text : `${text}\nLines and reasons: ${report}`;
}

@Module({ imports: [ConnectionModule], providers: [ImportCommand] })
export class ImportModule {}
