import { type FieldRuleSet, type FreeForm, isObject } from '@sluice/contracts';
import { type Report } from '../report.js';
import { grants } from './consent.js';
import { type FieldHash, FieldRules } from './field-rules.js';

/** The rules of a source, as its record has them. */
interface RuledSource {
  readonly pii?: FieldRuleSet;
  readonly requireConsent?: string;
}

/** What a source does with its messages before they are judged and stored: docs/api.md#field-rules-and-consent. */
export class MessageRules {
  private readonly fields: FieldRules | undefined;
  private readonly purpose: string | undefined;

  private constructor({ pii, requireConsent }: RuledSource, hash: FieldHash) {
    this.fields = pii && new FieldRules(pii, hash);
    this.purpose = requireConsent;
  }

  /** Returns undefined for a source without rules. */
  static of(source: RuledSource, hash: FieldHash): MessageRules | undefined {
    const hasRules = source.pii !== undefined || source.requireConsent !== undefined;
    return hasRules ? new MessageRules(source, hash) : undefined;
  }

  /** Whether the message grants the consent that the source requires. */
  admits(message: object): boolean {
    const { context } = message as { context?: FreeForm | null };
    return this.purpose === undefined || grants(context, this.purpose);
  }

  /**
   * The message as it is stored; the report names the values that are not.
   * @param isOfGroup whether its properties are the traits of a group
   */
  apply<T extends object>(message: T, path: string, report: Report, isOfGroup = false): T {
    return this.fields ? this.fields.apply(message, path, report, isOfGroup) : message;
  }

  /**
   * What may be kept of an item that is refused; undefined when nothing may.
   * @param isSegment whether a client of Segment sent it
   */
  kept(item: unknown, isSegment: boolean): unknown {
    const sent: object = isObject(item) ? item : {};
    if (!this.admits(sent)) return undefined;
    return this.fields ? this.fields.applyToSent(item, isSegment) : item;
  }
}
