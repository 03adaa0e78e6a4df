import { Injectable } from '@nestjs/common';
import { MessageRules } from '@sluice/messages';
import { type Source, SourceReader } from '@sluice/sources';
import { FieldHasher } from './field-hasher.js';

/** Knows the rules of each source. A change holds for requests that arrive after its record. */
@Injectable()
export class SourceRulesBook {
  /** By the record of the source, which a change replaces. */
  private readonly rulesBySource = new WeakMap<Source, MessageRules>();

  constructor(
    private readonly sources: SourceReader,
    private readonly hasher: FieldHasher,
  ) {}

  /** Returns undefined for a source without rules. */
  of(sourceIdentifier: string): MessageRules | undefined {
    const source = this.sources.registry.find(sourceIdentifier);
    if (source === undefined || !MessageRules.hasRules(source)) return undefined;
    const existing = this.rulesBySource.get(source);
    if (existing) return existing;
    const rules = MessageRules.forSource(source, this.hasher.makeHash(source));
    if (rules) this.rulesBySource.set(source, rules);
    return rules;
  }
}
