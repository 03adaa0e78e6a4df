import { type ImportPlan, planImport, type RegistryRecord, type SourceRegistry } from '@sluice/sources';
import { Option, SubCommand } from 'nest-commander';
import { OperationError } from '@sluice/operations';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { formatSourceFile, readSourceFile } from './source-file.js';

@SubCommand({
  name: 'export',
  description: 'Write all sources with the hashes of their keys as NDJSON, for a backup or another Kafka',
})
export class ExportSourcesCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: OutputOptions): Promise<void> {
    const records = await this.registry.use((_writer, registry) => registry.export());
    this.output.print(records, options, formatSourceFile);
  }
}

interface ImportOptions extends OutputOptions {
  replace?: boolean;
  dryRun?: boolean;
}

/** Names of the records that were written; with --dry-run, those that would be written. */
interface ImportedSources {
  created: readonly string[];
  changed: readonly string[];
  unchanged: number;
}

@SubCommand({
  name: 'import',
  arguments: '<file>',
  description: 'Take over the sources of an export (- reads standard input); safe to repeat',
})
export class ImportSourcesCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([file]: [string], { replace = false, dryRun = false, ...options }: ImportOptions): Promise<void> {
    // The whole file is checked before the first record is written.
    const records = await readSourceFile(file);
    const plan = (registry: SourceRegistry): ImportPlan => {
      const importPlan = requireImportPlan(registry, records, file);
      if (importPlan.changed.length > 0 && !replace) throw makeConflictError(importPlan);
      return importPlan;
    };
    const action = { operation: 'sources.import', object: `${records.length} records`, details: { replace } };
    const { created, changed, unchanged } = dryRun
      ? await this.registry.use((_writer, registry) => plan(registry))
      : await this.registry.change(action, async (writer, registry) => {
          const importPlan = plan(registry);
          await writer.import(importPlan);
          return importPlan;
        });
    const verb = dryRun ? 'would be written' : 'written';
    this.output.print<ImportedSources>({ created, changed, unchanged }, options, () =>
      [
        `${created.length} new and ${changed.length} changed records ${verb}, ${unchanged} are here already.`,
        ...[...created, ...changed].map((name) => `  ${name}`),
      ].join('\n'),
    );
  }

  @Option({ flags: '--replace', description: 'Replace sources and keys that are here with other content' })
  parseReplace(): boolean {
    return true;
  }

  @Option({ flags: '--dry-run', description: 'Check the file and show what would be written' })
  parseDryRun(): boolean {
    return true;
  }
}

function requireImportPlan(registry: SourceRegistry, records: readonly RegistryRecord[], file: string): ImportPlan {
  try {
    return planImport(registry, records);
  } catch (error) {
    throw error instanceof TypeError ? new OperationError(`${file}: ${error.message}`) : error;
  }
}

const maxNames = 10;

function makeConflictError({ changed }: ImportPlan): OperationError {
  const unlistedNames = changed.length > maxNames ? ` and ${changed.length - maxNames} more` : '';
  return new OperationError(
    `nothing was written: ${changed.slice(0, maxNames).join(', ')}${unlistedNames} are here with other content; ` +
      '--replace takes those of the file, --dry-run --replace shows all',
  );
}
