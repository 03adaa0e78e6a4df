import { Command, CommandRunner } from 'nest-commander';
import { refuseUnknown } from '../command-line.js';
import { FindEventsCommand } from './find-events.command.js';

@Command({ name: 'events', description: 'What became of the events of a request', subCommands: [FindEventsCommand] })
export class EventsCommand extends CommandRunner {
  run(words: string[]): Promise<void> {
    refuseUnknown(this.command, words);
  }
}
