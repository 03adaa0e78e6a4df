import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { sourcesCommands } from './sources-commands.js';
import { SourcesCommand } from './sources.command.js';
import { Sources } from './sources.js';

@Module({ imports: [ConnectionModule], providers: [Sources, SourcesCommand, ...sourcesCommands] })
export class SourcesModule {}
