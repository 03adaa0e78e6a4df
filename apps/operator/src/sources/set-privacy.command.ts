import { type FieldRule } from '@sluice/contracts';
import {
  mergeRules,
  requireHashKey,
  OperationError,
  parseFieldRule,
  parsePurpose,
  viewSource,
} from '@sluice/operations';
import { privacyVariables } from '@sluice/privacy';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

type GivenRules = Readonly<Record<string, FieldRule | 'none'>>;

interface PrivacyOptions extends OutputOptions {
  rule?: GivenRules;
  requireConsent?: string;
}

@SubCommand({
  name: 'privacy',
  arguments: '<sourceIdentifier>',
  description: 'Set what is done with fields before they are stored, and the consent that a message must grant',
})
export class SetPrivacyCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], { rule, requireConsent, json }: PrivacyOptions): Promise<void> {
    if (rule === undefined && requireConsent === undefined)
      throw new OperationError('name at least one rule, or the consent; --help lists them');
    const key = rule && requireHashKey(rule, this.connection.read(privacyVariables).PRIVACY_KEY);
    const purpose = requireConsent !== undefined && {
      requireConsent: requireConsent === 'none' ? undefined : requireConsent,
    };
    const details = { ...(rule && { rules: rule }), ...(requireConsent !== undefined && { requireConsent }) };
    const action = { operation: 'sources.privacy', object: sourceIdentifier, details };
    const source = await this.registry.change(action, async (writer, registry) => {
      const rules = rule && { pii: mergeRules(writer.get(sourceIdentifier).pii, rule) };
      return viewSource(await writer.setPrivacy(sourceIdentifier, { ...rules, ...key, ...purpose }), registry);
    });
    const toText = (): string => `Changed; it holds within a second.\n\n${describeSource(source)}`;
    this.output.print(source, { json: json === true }, toText);
  }

  @Option({
    flags: '--rule <path=rule...>',
    description:
      'Such as context.ip=truncate, traits.email=hash, properties.card=drop; =none removes the rule of a path',
  })
  rule(text: string, earlierRules: GivenRules = {}): GivenRules {
    const [path, rule] = parseFieldRule(text);
    return { ...earlierRules, [path]: rule };
  }

  @Option({
    flags: '--require-consent <purpose>',
    description: 'Store only messages whose context grants this purpose; none stores all',
  })
  requireConsent(text: string): string {
    return parsePurpose(text);
  }
}
