import { Injectable } from '@nestjs/common';
import { MessageRules } from '@sluice/messages';
import { type Source, SourceReader } from '@sluice/sources';
import { FieldHasher } from './field-hasher.js';

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
    const rules = MessageRules.of(source, this.hasher.of(source));
    if (rules) this.known.set(source, rules);
    return rules;
  }
}
