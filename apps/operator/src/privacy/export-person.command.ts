import { exportPerson, type ExportManifest, openFolderTarget, OperationError, maskId } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { ShellActions } from '../connection/shell-actions.js';
import { Output } from '../output.js';
import { ErasureAccess } from './erasure-access.js';
import { maxNamed } from './people-options.js';
import { PersonCommand, type PersonOptions, requirePersons } from './person-options.js';

interface ExportOptions extends PersonOptions {
  to?: string;
}

const exportLimitMs = 120_000;

@SubCommand({
  name: 'export',
  description: 'Write all rows of a person as NDJSON into a folder, with a manifest of counts',
})
export class ExportPersonCommand extends PersonCommand {
  constructor(
    private readonly access: ErasureAccess,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--to <folder>', description: 'An empty folder, or one that does not exist yet' })
  to(folder: string): string {
    return folder;
  }

  async run(_: string[], options: ExportOptions): Promise<void> {
    const { to: folder, reverse: isReverse = false } = options;
    if (folder === undefined) throw new OperationError('name a folder: --to <folder>');
    const ids = requirePersons(options, await this.access.sources()).flat();
    const manifest = await this.access.use(options, ({ kafka, servers, tables, key }) => {
      const details = { by: options.by ?? '', ids: ids.map((id) => maskId(key, id)).slice(0, maxNamed) };
      const action = { operation: 'privacy.export', object: options.source ?? 'all sources', details };
      return this.actions.record(action, async () => {
        const target = await openFolderTarget(folder);
        return exportPerson({ kafka, servers, tables, ids, isReverse, target, maxMs: exportLimitMs });
      });
    });
    // Only the manifest in the folder has the ids: output may be logged.
    const { at, sources, tables } = manifest;
    this.output.print({ at, sources, tables }, options, describeTables);
  }
}

const describeTables = ({ tables }: Omit<ExportManifest, 'ids'>): string =>
  tables.map(({ file, rows }) => `  ${file.padEnd(28)} ${rows} rows`).join('\n');
