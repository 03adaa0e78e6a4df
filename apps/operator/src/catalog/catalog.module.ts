import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ImportCatalogCommand } from './import-catalog.command.js';
import { ImportRecords } from './import-records.js';
import { ListIssuesCommand } from './list-issues.command.js';

@Command({
  name: 'catalog',
  description: 'The catalog of a source',
  subCommands: [ImportCatalogCommand, ListIssuesCommand],
})
export class CatalogCommand extends NounCommand {}

@Module({
  imports: [ConnectionModule],
  providers: [CatalogCommand, ImportCatalogCommand, ImportRecords, ListIssuesCommand],
})
export class CatalogCommandsModule {}
