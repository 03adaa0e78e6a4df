import { OperationError } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { apiKeyVariables, gatewayUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { type EntityType, entityTypeOf, entityTypes, parseEntityType } from './entity-type.js';
import { importCatalog } from './import-catalog.js';
import { type ImportState } from '../files/import-progress.js';
import { ImportReport } from '../files/import-report.js';

interface ImportOptions extends OutputOptions {
  source: string;
  type?: EntityType;
  apiKey?: string;
  gatewayUrl?: string;
  parallel?: number;
  restart?: boolean;
}

interface Imported {
  file: string;
  type: EntityType;
  records: number;
  refused: number;
  partlyStored: number;
  /** Absent when there is nothing to report. */
  report?: string;
}

const timeoutMs = 60_000;

@SubCommand({
  name: 'import',
  arguments: '<file>',
  description: 'Send a catalog file (NDJSON, or CSV with the fields as columns) to the Sync API; safe to repeat',
})
export class ImportCatalogCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run([file]: [string], options: ImportOptions): Promise<void> {
    const { source, type = entityTypeOf(file), parallel = 32, restart = false } = options;
    const startedAt = performance.now();
    const state = await importCatalog({
      file,
      type,
      parallel,
      restart,
      timeoutMs,
      sourceIdentifier: source,
      apiKey: this.apiKeyOf(options),
      gatewayUrl: this.gatewayUrlOf(options),
      onProgress: (progress) => {
        process.stderr.write(`${describe(progress)}, ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
      },
    });
    this.output.print(summary(file, state), options, toText);
    // The exit code shows scripts that some records were not imported.
    if (state.refused > 0) throw new OperationError(`${state.refused} records were refused`);
  }

  private gatewayUrlOf({ gatewayUrl }: ImportOptions): string {
    return gatewayUrl ?? this.connection.read(gatewayUrlVariables).GATEWAY_URL;
  }

  private apiKeyOf({ apiKey, source }: ImportOptions): string {
    const { SLUICE_API_KEY } = this.connection.read(apiKeyVariables);
    const demo = this.connection.demoSource();
    const key = [apiKey, SLUICE_API_KEY, demo?.sourceIdentifier === source ? demo.apiKey : ''].find(Boolean);
    if (key === undefined) throw new OperationError(`the key of ${source} is needed: SLUICE_API_KEY, or --api-key`);
    return key;
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Source that the catalog belongs to', required: true })
  parseSource(text: string): string {
    return text;
  }

  @Option({ flags: `--type <${entityTypes.join('|')}>`, description: 'Entity type; by default from the file name' })
  parseType(text: string): EntityType {
    return parseEntityType(text);
  }

  @Option({ flags: '--api-key <key>', description: 'Key of the source; SLUICE_API_KEY keeps it out of process lists' })
  parseApiKey(text: string): string {
    return text;
  }

  @Option({ flags: '--gateway-url <url>', description: 'Gateway; by default that of the local stack, or GATEWAY_URL' })
  parseGatewayUrl(text: string): string {
    if (!/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) {
      throw new OperationError(`--gateway-url must be an http or https URL; it is '${text}'`);
    }
    return text;
  }

  @Option({ flags: '--parallel <requests>', description: 'Requests at a time, 1 to 256; 32 by default' })
  parseParallel(text: string): number {
    const requests = Number(text);
    if (Number.isInteger(requests) && requests >= 1 && requests <= 256) return requests;
    throw new OperationError(`--parallel must be a whole number from 1 to 256; it is '${text}'`);
  }

  @Option({ flags: '--restart', description: 'Ignore the progress of an earlier import of the file' })
  parseRestart(): boolean {
    return true;
  }
}

const summary = (file: string, { type, settled, refused, partlyStored }: ImportState<EntityType>): Imported => ({
  file,
  type,
  records: settled,
  refused,
  partlyStored,
  ...(refused + partlyStored > 0 && { report: ImportReport.fileOf(file) }),
});

const describe = ({ settled, refused, partlyStored }: ImportState): string =>
  `${settled} records sent, ${refused} refused, ${partlyStored} stored in part`;

function toText({ type, records, refused, partlyStored, report }: Imported): string {
  const text = `${records} records of type ${type} sent, ${refused} refused, ${partlyStored} stored in part.`;
  return report === undefined ? text : `${text}\nLines and reasons: ${report}`;
}
