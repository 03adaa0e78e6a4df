import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { SuppressCommand, SuppressionAccess, UnsuppressCommand } from './suppress.command.js';

/** Subcommands in the order of the help. */
const subCommands = [SuppressCommand, UnsuppressCommand];

@Command({ name: 'privacy', description: 'People who must not be stored', subCommands })
export class PrivacyCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [SuppressionAccess, PrivacyCommand, ...subCommands] })
export class PrivacyModule {}
