import { Command, CommandRunner } from 'nest-commander';
import { refuseUnknown } from '../command-line.js';
import { MintPushTokenCommand } from './mint-push-token.command.js';
import { OpenPushTokenCommand } from './open-push-token.command.js';

@Command({
  name: 'push-token',
  description: 'The tracking tokens of push notifications',
  subCommands: [MintPushTokenCommand, OpenPushTokenCommand],
})
export class PushTokenCommand extends CommandRunner {
  run(words: string[]): Promise<void> {
    refuseUnknown(this.command, words);
  }
}
