import { Injectable } from '@nestjs/common';
import { type FreeForm, isObject } from '@sluice/contracts';
import { FieldRules, grants, type Report } from '@sluice/messages';
import { type Source, SourceReader } from '@sluice/sources';
import { FieldHasher } from './field-hasher.js';

/** What a source does with its messages before they are judged and stored: docs/api.md#field-rules-and-consent. */
export class MessageRules {
  constructor(
    private readonly fields: FieldRules | undefined,
    private readonly purpose: string | undefined,
  ) {}

  /** Whether the message grants the consent that the source requires. */
  admits(message: object): boolean {
    const { context } = message as { context?: FreeForm | null };
    return this.purpose === undefined || grants(context, this.purpose);
  }

  /** The message as it is stored; the report names the values that are not. */
  apply<T extends object>(message: T, path: string, report: Report): T {
    return this.fields ? this.fields.apply(message, path, report) : message;
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

/** Knows the rules of each source. A change holds for requests that arrive after its record. */
@Injectable()
export class SourceRulesBook {
  /** By the record of the source, which a change replaces. */
  private readonly known = new WeakMap<Source, MessageRules>();

  constructor(
    private readonly sources: SourceReader,
    private readonly hasher: FieldHasher,
  ) {}

  /** Returns undefined for a source without rules. */
  of(sourceIdentifier: string): MessageRules | undefined {
    const source = this.sources.registry.find(sourceIdentifier);
    if (source === undefined || (source.pii === undefined && source.requireConsent === undefined)) return undefined;
    const known = this.known.get(source);
    if (known) return known;
    const fields = source.pii && new FieldRules(source.pii, this.hasher.of(sourceIdentifier));
    const rules = new MessageRules(fields, source.requireConsent);
    this.known.set(source, rules);
    return rules;
  }
}
