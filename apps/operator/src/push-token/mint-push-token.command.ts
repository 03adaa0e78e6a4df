import { randomUUID } from 'node:crypto';
import { type PushToken, PushTokens, pushTokenVariables } from '@sluice/push-tokens';
import { OperationError } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from '../sources/registry-access.js';

type Attribution = Omit<PushToken, 'notificationId' | 'issuedAt'>;
interface Minted {
  token: string;
  notificationId: string;
}

@SubCommand({ name: 'mint', description: 'Seal the token of one notification: the id of its push payload' })
export class MintPushTokenCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], { json, force, notification, ...claims }: OutputOptions & MintOptions): Promise<void> {
    const tokens = new PushTokens(this.connection.read(pushTokenVariables));
    const notificationId = notification ?? randomUUID();
    const token = await seal(tokens, { ...claims, notificationId, issuedAt: Date.now() });
    if (force !== true) await this.assertKnown(claims.source);
    this.output.print({ token, notificationId }, { json: json === true }, ({ token: text }: Minted) => text);
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'Source of the notification', required: true })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--campaign <id>', description: 'The campaign', required: true })
  campaign(text: string): string {
    return text;
  }

  @Option({ flags: '--variation <id>', description: 'The variation of the campaign', required: true })
  variation(text: string): string {
    return text;
  }

  @Option({ flags: '--profile <id>', description: 'Profile of the receiver', required: true })
  profile(text: string): string {
    return text;
  }

  @Option({ flags: '--channel <name>', description: 'Channel, such as web-push', required: true })
  channel(text: string): string {
    return text;
  }

  @Option({ flags: '--provider <name>', description: 'Provider, such as fcm', required: true })
  provider(text: string): string {
    return text;
  }

  /** @throws OperationError when the source does not exist: every callback with the token would be refused. */
  private async assertKnown(sourceIdentifier: string): Promise<void> {
    const isKnown = await this.registry.use((_, sources) => sources.find(sourceIdentifier) !== undefined);
    if (isKnown) return;
    throw new OperationError(
      `There is no source ${sourceIdentifier}: its gateway refuses every callback with this token. --force mints it anyway.`,
    );
  }

  @Option({ flags: '--force', description: 'Mint without asking Kafka whether the source exists' })
  force(): boolean {
    return true;
  }

  @Option({ flags: '--notification <id>', description: 'The notification; a new UUID if left out' })
  notification(text: string): string {
    return text;
  }
}

interface MintOptions extends Attribution {
  notification?: string;
  force?: boolean;
}

/** @throws OperationError that names the option that is out of bounds. */
async function seal(tokens: PushTokens, token: PushToken): Promise<string> {
  try {
    return await tokens.seal(token);
  } catch (error) {
    if (error instanceof RangeError) throw new OperationError(error.message, { cause: error });
    throw error;
  }
}
