import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { CatalogCommand } from './catalog.command.js';
import { ImportCatalogCommand } from './import-catalog.command.js';

@Module({ imports: [ConnectionModule], providers: [CatalogCommand, ImportCatalogCommand] })
export class CatalogModule {}
