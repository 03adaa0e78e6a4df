import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { DeadLettersCommand } from './dead-letters.command.js';
import { DeadLetters } from './dead-letters.js';
import { ListLettersCommand } from './list-letters.command.js';
import { ReplayLettersCommand } from './replay-letters.command.js';
import { ShowLetterCommand } from './show-letter.command.js';

@Module({
  imports: [ConnectionModule],
  providers: [DeadLetters, DeadLettersCommand, ListLettersCommand, ShowLetterCommand, ReplayLettersCommand],
})
export class DeadLettersModule {}
