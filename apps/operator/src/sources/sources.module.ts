import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { RevokeKeyCommand, RotateKeyCommand } from './change-keys.command.js';
import { CreateSourceCommand } from './create-source.command.js';
import { LimitSourceCommand } from './limit-source.command.js';
import { RegistryAccess } from './registry-access.js';
import { RestrictSourceCommand } from './restrict-source.command.js';
import { DisableSourceCommand, EnableSourceCommand } from './set-status.command.js';
import { SetPrivacyCommand } from './set-privacy.command.js';
import { SetSegmentCommand } from './set-segment.command.js';
import { SetUserAgentCommand } from './set-user-agent.command.js';
import { ListSourcesCommand, ShowSourceCommand } from './show-sources.command.js';
import { ExportSourcesCommand, ImportSourcesCommand } from './transfer-sources.command.js';

/** Subcommands in the order of the help. */
const subCommands = [
  CreateSourceCommand,
  ListSourcesCommand,
  ShowSourceCommand,
  RotateKeyCommand,
  RevokeKeyCommand,
  DisableSourceCommand,
  EnableSourceCommand,
  LimitSourceCommand,
  RestrictSourceCommand,
  SetUserAgentCommand,
  SetSegmentCommand,
  SetPrivacyCommand,
  ExportSourcesCommand,
  ImportSourcesCommand,
];

@Command({ name: 'sources', description: 'The sources of data, and their keys', subCommands })
export class SourcesCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [RegistryAccess, SourcesCommand, ...subCommands] })
export class SourcesModule {}
