import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { DismissLettersCommand } from './dismiss-letters.command.js';
import { LetterAccess } from './letter-access.js';
import { ReplayLettersCommand } from './replay-letters.command.js';
import { ListLettersCommand, ShowLetterCommand } from './show-letters.command.js';

@Command({
  name: 'dead-letters',
  description: 'Messages that could not be stored',
  subCommands: [ListLettersCommand, ShowLetterCommand, ReplayLettersCommand, DismissLettersCommand],
})
export class DeadLettersCommand extends NounCommand {}

@Module({
  imports: [ConnectionModule],
  providers: [
    LetterAccess,
    DeadLettersCommand,
    ListLettersCommand,
    ShowLetterCommand,
    ReplayLettersCommand,
    DismissLettersCommand,
  ],
})
export class DeadLettersModule {}
