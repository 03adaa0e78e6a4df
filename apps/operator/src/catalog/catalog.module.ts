import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ImportCatalogCommand } from './import-catalog.command.js';

@Command({ name: 'catalog', description: 'The catalog of a source', subCommands: [ImportCatalogCommand] })
export class CatalogCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [CatalogCommand, ImportCatalogCommand] })
export class CatalogModule {}
