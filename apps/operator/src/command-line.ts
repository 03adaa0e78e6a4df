import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { OperationError } from '@sluice/operations';
import { CommandRunner, InjectCommander } from 'nest-commander';

export type CommanderCommand = Parameters<CommandRunner['setCommand']>[0];

/** Names the program, and configures all commands alike: strict arguments, and errors in place of exits. */
@Injectable()
export class CommandLine implements OnApplicationBootstrap {
  constructor(@InjectCommander() private readonly root: CommanderCommand) {}

  onApplicationBootstrap(): void {
    this.root.name('operator').description('Runs Sluice: its sources and their keys, its topics and tables.');
    this.root.addHelpText('after', '\nUsed as: npm run -s operator -- <command>, here and in all examples.');
    configure(this.root);
  }
}

function configure(command: CommanderCommand): void {
  command.exitOverride();
  command.helpOption('-h, --help', 'Show this help');
  // A noun accepts unknown words here, because NounCommand refuses them with a better message.
  const isNoun = command.commands.length > 0;
  command.allowExcessArguments(isNoun).allowUnknownOption(isNoun);
  for (const subCommand of command.commands) configure(subCommand);
}

/** A command that only groups its subcommands: it refuses everything else. */
export abstract class NounCommand extends CommandRunner {
  run(words: string[]): never {
    const word = words.find((candidate) => !candidate.startsWith('-'));
    if (word === undefined) this.command.help({ error: true });
    const subcommandNames = this.command.commands.map((command) => command.name()).join(', ');
    throw new OperationError(`unknown command '${this.command.name()} ${word}'; it is one of ${subcommandNames}`);
  }
}
