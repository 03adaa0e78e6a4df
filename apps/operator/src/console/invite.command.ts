import { Module } from '@nestjs/common';
import { type KafkaConfig, kafkaVariables } from '@sluice/kafka';
import {
  ConsoleReader,
  ConsoleWriter,
  createLink,
  createUser,
  ensureConsoleTopic,
  linkMinutes,
  OperationError,
  type Role,
  withKafka,
} from '@sluice/operations';
import { Command, Option, SubCommand } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { consoleUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ShellActions } from '../connection/shell-actions.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';

const limitMs = 30_000;
const roles: readonly Role[] = ['viewer', 'editor', 'admin'];
const variables = { ...kafkaVariables, ...consoleUrlVariables };

interface InviteOptions extends OutputOptions {
  role?: Role;
  payloads?: boolean;
  privacy?: boolean;
}

interface Invitation {
  user: string;
  role: Role;
  link: string;
}

@SubCommand({
  name: 'invite',
  arguments: '<user>',
  description: 'Print a one-time link with which a user signs in to the console; a new user is created',
})
export class InviteCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: `--role <${roles.join('|')}>`, description: 'Role of a new user; viewer by default' })
  role(text: string): Role {
    const role = roles.find((roleName) => roleName === text);
    if (!role) throw new OperationError(`--role must be one of ${roles.join(', ')}; it is '${text}'`);
    return role;
  }

  @Option({ flags: '--payloads', description: 'A new user reads payloads without masks' })
  payloads(): boolean {
    return true;
  }

  @Option({ flags: '--privacy', description: 'A new user may suppress, erase and export people' })
  privacy(): boolean {
    return true;
  }

  async run([id]: [string], options: InviteOptions): Promise<void> {
    const { role = 'viewer', payloads = false, privacy = false, ...output } = options;
    const { CONSOLE_URL, ...config } = this.connection.read(variables);
    const action = { operation: 'users.invite', object: id, details: { role, payloads, privacy } };
    const invitation = await this.actions.record(action, () =>
      invite(config, { id, role, payloads, privacy }, CONSOLE_URL),
    );
    this.output.print(invitation, output, describeInvitation);
  }
}

const describeInvitation = ({ user, role, link }: Invitation): string =>
  `${user} (${role}) signs in once within ${linkMinutes} minutes with\n\n  ${link}`;

/** Creates the user unless it exists, and a link for it. */
function invite(
  config: KafkaConfig,
  invitee: { id: string; role: Role; payloads: boolean; privacy: boolean },
  consoleUrl: string,
): Promise<Invitation> {
  return withKafka(config, limitMs, async (kafka) => {
    await ensureConsoleTopic(kafka, config);
    const reader = new ConsoleReader(kafka);
    const writer = new ConsoleWriter(kafka, reader.state);
    try {
      await reader.start();
      const user =
        reader.state.get('user', invitee.id) ??
        (await createUser(reader.state, writer, { ...invitee, name: invitee.id }));
      return { user: user.id, role: user.role, link: await createLink(writer, user.id, consoleUrl) };
    } finally {
      await Promise.all([reader.stop(), writer.stop()]);
    }
  });
}

@Command({ name: 'console', description: 'The users of the console', subCommands: [InviteCommand] })
export class ConsoleCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [ConsoleCommand, InviteCommand] })
export class ConsoleCommandsModule {}
