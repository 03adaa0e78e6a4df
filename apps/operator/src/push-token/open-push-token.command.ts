import { type PushToken, PushTokens, pushTokenVariables } from '@sluice/push-tokens';
import { OperationError } from '@sluice/operations';
import { SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';

type Opened = Omit<PushToken, 'issuedAt'> & { issuedAt: string };

@SubCommand({ name: 'open', arguments: '<token>', description: 'Show the contents of a token' })
export class OpenPushTokenCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  run([text]: [string], options: OutputOptions): Promise<void> {
    const token = new PushTokens(this.connection.read(pushTokenVariables)).open(text);
    if (!token) return Promise.reject(new OperationError('the token does not open with any key of PUSH_TOKEN_KEYS'));
    const opened: Opened = { ...token, issuedAt: new Date(token.issuedAt).toISOString() };
    this.output.print(opened, options, toText);
    return Promise.resolve();
  }
}

const toText = (opened: Opened): string =>
  Object.entries(opened)
    .map(([name, value]) => `  ${name.padEnd('notificationId'.length)}  ${value}`)
    .join('\n');
