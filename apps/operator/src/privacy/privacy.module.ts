import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ErasePersonCommand } from './erase-person.command.js';
import { ErasureAccess } from './erasure-access.js';
import { ExportPersonCommand } from './export-person.command.js';
import { ForgetLinksCommand } from './forget-links.command.js';
import { ErasureStatusCommand, ReapplyErasuresCommand, RunErasuresCommand } from './run-erasures.commands.js';
import { SuppressCommand, SuppressionAccess, UnsuppressCommand } from './suppress.command.js';

/** Subcommands in the order of the help. */
const subCommands = [
  SuppressCommand,
  UnsuppressCommand,
  ErasePersonCommand,
  ErasureStatusCommand,
  RunErasuresCommand,
  ReapplyErasuresCommand,
  ExportPersonCommand,
  ForgetLinksCommand,
];

@Command({ name: 'privacy', description: 'People who want a copy of their data, or to be forgotten', subCommands })
export class PrivacyCommand extends NounCommand {}

@Module({
  imports: [ConnectionModule],
  providers: [SuppressionAccess, ErasureAccess, PrivacyCommand, ...subCommands],
})
export class PrivacyModule {}
