import { type FieldRuleSet, type FreeForm, isObject } from '@sluice/contracts';
import { type Report } from '../report.js';
import { grantsPurpose } from './consent.js';
import { type FieldHash, FieldRules } from './field-rules.js';

/** The rules of a source, as its record has them. */
interface RuledSource {
  readonly pii?: FieldRuleSet;
  readonly requireConsent?: string;
  readonly userAgent?: 'drop';
}

/** Members of the context in which clients send the user agent: the Tracking API's, and those of Segment's. */
const userAgentRules: FieldRuleSet = {
  'context.user_agent': 'drop',
  'context.userAgent': 'drop',
  'context.userAgentData': 'drop',
};

/** Rules that hold for the messages of a source before they are judged and stored: docs/api.md#field-rules-and-consent. */
export class MessageRules {
  private readonly fields: FieldRules | undefined;
  private readonly purpose: string | undefined;

  private constructor({ pii, requireConsent, userAgent }: RuledSource, hash: FieldHash) {
    const rules = userAgent === 'drop' ? { ...pii, ...userAgentRules } : pii;
    this.fields = rules && new FieldRules(rules, hash);
    this.purpose = requireConsent;
  }

  static hasRules({ pii, requireConsent, userAgent }: RuledSource): boolean {
    return pii !== undefined || requireConsent !== undefined || userAgent === 'drop';
  }

  /** Returns undefined for a source without rules. */
  static forSource(source: RuledSource, hash: FieldHash): MessageRules | undefined {
    return MessageRules.hasRules(source) ? new MessageRules(source, hash) : undefined;
  }

  /** Whether the message grants the consent that the source requires. */
  admits(message: object): boolean {
    const { context } = message as { context?: FreeForm | null };
    return this.purpose === undefined || grantsPurpose(context, this.purpose);
  }

  /**
   * The message as it is stored; the report names the values that are not.
   * @param isOfGroup whether its properties are the traits of a group
   */
  apply<T extends object>(message: T, path: string, report: Report, isOfGroup = false): T {
    return this.fields ? this.fields.apply(message, path, report, isOfGroup) : message;
  }

  /**
   * The part of a refused item that may be kept; undefined if nothing may.
   * @param isSegment whether a client of Segment sent it
   */
  applyToRefused(item: unknown, isSegment: boolean): unknown {
    const sent: object = isObject(item) ? item : {};
    if (!this.admits(sent)) return undefined;
    return this.fields ? this.fields.applyToRefused(item, isSegment) : item;
  }
}
