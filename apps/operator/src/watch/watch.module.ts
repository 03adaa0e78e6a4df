import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ListChangesCommand } from './list-changes.command.js';
import { MuteEventCommand, UnmuteEventCommand } from './mute-event.command.js';

const subCommands = [ListChangesCommand, MuteEventCommand, UnmuteEventCommand];

@Command({
  name: 'watch',
  description: 'Events that stopped or changed, and which of them are not watched',
  subCommands,
})
export class WatchCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [WatchCommand, ...subCommands] })
export class WatchModule {}
