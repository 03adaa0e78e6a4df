import { Command, CommandRunner } from 'nest-commander';
import { refuseUnknown } from '../command-line.js';
import { ImportCatalogCommand } from './import-catalog.command.js';

@Command({ name: 'catalog', description: 'The catalog of a source', subCommands: [ImportCatalogCommand] })
export class CatalogCommand extends CommandRunner {
  run(words: string[]): Promise<void> {
    refuseUnknown(this.command, words);
  }
}
