import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { OperationError } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { apiKeyVariables, gatewayUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand, say } from '../output.js';
import { type EntityType, requireEntityType, entityTypes, parseEntityType } from './entity-type.js';
import { type FeedCounts } from './feed-comparison.js';
import { importCatalog, type ImportRequest } from './import-catalog.js';
import { ImportRecords } from './import-records.js';
import { type FeedRequest, replaceFeed } from './replace-feed.js';
import { type ImportState } from '../files/import-progress.js';
import { ImportReport } from '../files/import-report.js';

interface ImportOptions extends OutputOptions {
  source: string;
  type?: EntityType;
  apiKey?: string;
  gatewayUrl?: string;
  parallel?: number;
  rate?: number;
  restart?: boolean;
  roundPrices?: boolean;
  replace?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

interface ImportSummary {
  file: string;
  type: EntityType;
  records: number;
  refused: number;
  partlyStored: number;
  /** The file compared with what was stored; only with --replace and --dry-run. */
  compared?: FeedCounts;
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
    private readonly records: ImportRecords,
  ) {
    super();
  }

  async run([file]: [string], options: ImportOptions): Promise<void> {
    const { source, type = requireEntityType(file), replace = false, dryRun = false, yes = false } = options;
    const { parallel = 4, rate, restart = false, roundPrices = false } = options;
    const startedAt = performance.now();
    const request: ImportRequest = {
      file,
      type,
      parallel,
      ...(rate !== undefined && { rate }),
      restart,
      roundPrices,
      timeoutMs,
      sourceIdentifier: source,
      apiKey: dryRun ? '' : this.requireApiKey(options),
      gatewayUrl: this.chooseGatewayUrl(options),
      onProgress: (progress) => {
        say(`${describeProgress(progress)}, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      },
    };
    const servers = replace || dryRun ? this.connection.read({ ...kafkaVariables, ...clickhouseVariables }) : undefined;
    if (!servers) {
      const state = await this.records.recordImport({ source, type, file }, () => importCatalog(request));
      this.printState(file, state, options);
      return;
    }
    const record: FeedRequest['record'] = (compared, send) =>
      this.records.recordReplacement({ source, type, file }, compared, send);
    const { counts, state } = await replaceFeed({ ...request, servers, dryRun, yes, record });
    if (state) this.printState(file, state, options, counts);
    else this.output.print({ file, type, compared: counts }, options, ({ compared }) => describeCounts(compared));
  }

  private printState(
    file: string,
    state: ImportState<EntityType>,
    options: ImportOptions,
    compared?: FeedCounts,
  ): void {
    this.output.print({ ...summarize(file, state), ...(compared && { compared }) }, options, toText);
    // The exit code shows scripts that some records were not imported.
    if (state.refused > 0) throw new OperationError(`${state.refused} records were refused`);
  }

  private chooseGatewayUrl({ gatewayUrl }: ImportOptions): string {
    return gatewayUrl ?? this.connection.read(gatewayUrlVariables).GATEWAY_URL;
  }

  private requireApiKey({ apiKey, source }: ImportOptions): string {
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

  @Option({ flags: '--parallel <requests>', description: 'Requests at a time, 1 to 256; 4 by default' })
  parseParallel(text: string): number {
    const requests = Number(text);
    if (Number.isInteger(requests) && requests >= 1 && requests <= 256) return requests;
    throw new OperationError(`--parallel must be a whole number from 1 to 256; it is '${text}'`);
  }

  @Option({ flags: '--rate <records>', description: 'Records a second at most; by default as many as are taken' })
  parseRate(text: string): number {
    const records = Number(text);
    if (Number.isInteger(records) && records >= 1 && records <= 1_000_000) return records;
    throw new OperationError(`--rate must be a whole number from 1 to 1000000; it is '${text}'`);
  }

  @Option({
    flags: '--round-prices',
    description: 'Round prices to the nine digits after the point that are stored; the report names each',
  })
  parseRoundPrices(): boolean {
    return true;
  }

  @Option({
    flags: '--replace',
    description: 'Then delete the entities of the type and source that the file does not have; sends only what differs',
  })
  parseReplace(): boolean {
    return true;
  }

  @Option({
    flags: '--dry-run',
    description: 'Only count what --replace would find new, changed, the same and deleted',
  })
  parseDryRun(): boolean {
    return true;
  }

  @Option({ flags: '--yes', description: 'With --replace: delete even more than a fifth of the entities' })
  parseYes(): boolean {
    return true;
  }

  @Option({ flags: '--restart', description: 'Ignore the progress of an earlier import of the file' })
  parseRestart(): boolean {
    return true;
  }
}

const summarize = (file: string, { type, settled, refused, partlyStored }: ImportState<EntityType>): ImportSummary => ({
  file,
  type,
  records: settled,
  refused,
  partlyStored,
  ...(refused + partlyStored > 0 && { report: ImportReport.fileFor(file) }),
});

const describeProgress = ({ settled, refused, partlyStored }: ImportState): string =>
  `${settled} records sent, ${refused} refused, ${partlyStored} stored in part`;

const describeCounts = (counts: FeedCounts): string =>
  `${counts.new} new, ${counts.changed} changed, ${counts.same} the same, ${counts.deleted} of ${counts.stored} stored ones not in the file` +
  (counts.unnamed > 0 ? `, ${counts.unnamed} without an id` : '');

function toText({ type, records, refused, partlyStored, report, compared }: ImportSummary): string {
  const sent = `${records} records of type ${type} sent, ${refused} refused, ${partlyStored} stored in part.`;
  const text = compared ? `${describeCounts(compared)}.\n${sent} ${compared.deleted} entities deleted.` : sent;
  return report === undefined ? text : `${text}\nLines and reasons: ${report}`;
}
