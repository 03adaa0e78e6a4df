import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { CreateSourceCommand } from './create-source.command.js';
import { ListSourcesCommand } from './list-sources.command.js';
import { RevokeKeyCommand } from './revoke-key.command.js';
import { RotateKeyCommand } from './rotate-key.command.js';
import { DisableSourceCommand, EnableSourceCommand } from './set-status.command.js';
import { ShowSourceCommand } from './show-source.command.js';
import { SourcesCommand } from './sources.command.js';
import { Sources } from './sources.js';

// In the order in which help lists them.
const commands = [
  CreateSourceCommand,
  ListSourcesCommand,
  ShowSourceCommand,
  RotateKeyCommand,
  RevokeKeyCommand,
  DisableSourceCommand,
  EnableSourceCommand,
];

@Module({ imports: [ConnectionModule], providers: [Sources, SourcesCommand, ...commands] })
export class SourcesModule {}
