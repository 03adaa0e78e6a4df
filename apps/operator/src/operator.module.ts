import { Module } from '@nestjs/common';
import { CommandLine } from './command-line.js';
import { MigrateModule } from './migrate/migrate.module.js';
import { PushTokenModule } from './push-token/push-token.module.js';
import { SourcesModule } from './sources/sources.module.js';

@Module({ imports: [SourcesModule, MigrateModule, PushTokenModule], providers: [CommandLine] })
export class OperatorModule {}
