import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { MigrateCommand } from './migrate.command.js';

@Module({ imports: [ConnectionModule], providers: [MigrateCommand] })
export class MigrateModule {}
