import { type FieldRule, type FieldRuleSet } from '@sluice/contracts';
import { type Kafka } from '@sluice/kafka';
import { PrivacyKey } from '@sluice/privacy';
import { SourceReader, SourceWriter } from '@sluice/sources';
import { maxRuledNames, pathOfField, type Random, type RuledField, ruledBags, ruledNames } from '@sluice/testing';
import { local, type SourceCredentials } from '../stack.js';

/** A source with rules for fields, or without any. */
export interface RuledSource extends SourceCredentials {
  readonly fields: readonly RuledField[];
  /** True when it stores no user agent. */
  readonly dropsUserAgent: boolean;
}

const rulesOfSource = 8;
const watchMs = 20 * 60_000;
const kinds: readonly FieldRule[] = ['drop', 'hash', 'truncate'];

/** Creates sources, the first of which has no rules. All are watched, so that gateways keep more samples. */
export async function createRuledSources(kafka: Kafka, random: Random, count: number): Promise<RuledSource[]> {
  const reader = new SourceReader(kafka);
  await reader.start();
  try {
    const writer = new SourceWriter(kafka, reader.registry);
    const sources: RuledSource[] = [];
    for (let index = 0; index < count; index++) {
      const { source, apiKey } = await writer.create({ name: 'Secrets', type: 'tracking-api', segment: 'on' });
      const { sourceIdentifier } = source;
      const fields = index === 0 ? [] : Array.from({ length: rulesOfSource }, () => aField(random));
      const dropsUserAgent = index % 2 === 1;
      await untilKnown(reader, sourceIdentifier);
      if (fields.length > 0) {
        const pii: FieldRuleSet = Object.fromEntries(fields.map((field) => [pathOfField(field), random.pick(kinds)]));
        await writer.setPrivacy(sourceIdentifier, { pii, piiKeyId: new PrivacyKey(local().privacyKey).id });
        await untilKnown(reader, sourceIdentifier, ({ pii: knownPii }) => knownPii !== undefined);
      }
      if (dropsUserAgent) await writer.setUserAgent(sourceIdentifier, 'drop');
      await writer.watch(sourceIdentifier, new Date(Date.now() + watchMs));
      sources.push({ sourceIdentifier, apiKey, fields, dropsUserAgent });
    }
    return sources;
  } finally {
    await reader.stop();
  }
}

const aField = (random: Random): RuledField => ({
  bag: random.pick(ruledBags),
  below: Array.from({ length: 1 + random.below(maxRuledNames) }, () => random.pick(ruledNames)),
});

type Source = NonNullable<ReturnType<SourceReader['registry']['find']>>;

/** The writer checks against the registry, which follows its topic. */
async function untilKnown(
  { registry }: SourceReader,
  id: string,
  isAsExpected: (source: Source) => boolean = () => true,
): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const source = registry.find(id);
    if (source && isAsExpected(source)) return;
    if (Date.now() > deadline) throw new Error(`the registry does not know the source ${id}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
