import {
  type FieldRuleSet,
  type FreeForm,
  IdentifyMessage,
  SegmentEvent,
  SegmentIdentify,
  TrackMessage,
} from '@sluice/contracts';
import {
  fieldForms,
  maxRuledNames,
  messageWith,
  messageWrappings,
  pathOfField,
  type RuledField,
  ruledBags,
  ruledNames,
} from '@sluice/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageReader } from '../message-reader.js';
import { Report } from '../report.js';
import { batchDefaults } from '../segment/segment-defaults.js';
import { readSegmentItem } from '../segment/segment-item.js';
import { MessageRules } from './message-rules.js';

const secret = 'secret-4711';
const readers = {
  track: new MessageReader<object>(TrackMessage),
  identify: new MessageReader<object>(IdentifyMessage),
  events: new MessageReader<object>(SegmentEvent),
  identifies: new MessageReader<object>(SegmentIdentify),
};
type Reader = keyof typeof readers;

/** The stored form of a message of the Tracking API, and the kept form when it is refused. */
const native = (reader: 'track' | 'identify') => (body: FreeForm, rules: MessageRules) => [
  rules.applyToRefused(body, false),
  stored(reader, body, rules),
];

function segment(type: string) {
  return (body: FreeForm, rules: MessageRules, batch: FreeForm = {}): unknown[] => {
    const item = readSegmentItem({ ...body, type }, '', batchDefaults(batch, new Report()));
    const kept = rules.applyToRefused({ ...batch, ...body, type }, true);
    return 'table' in item ? [kept, stored(item.table, item.message, rules, item.type === 'group')] : [kept];
  };
}

function stored(reader: Reader, body: FreeForm, rules: MessageRules, isOfGroup = false): unknown {
  const report = new Report();
  const message = readers[reader].read(body, '', report);
  return message && [rules.apply(message, '', report, isOfGroup), report.dropped];
}

const paths = {
  track: native('track'),
  identify: native('identify'),
  ...Object.fromEntries(
    ['track', 'page', 'screen', 'group', 'identify', 'alias', 'unknown'].map((type) => [
      `segment ${type}`,
      segment(type),
    ]),
  ),
};

const field: fc.Arbitrary<RuledField> = fc.record({
  bag: fc.constantFrom(...ruledBags),
  below: fc.array(fc.constantFrom(...ruledNames), { minLength: 1, maxLength: maxRuledNames }),
});

it('a value that a rule covers is in nothing that is stored or kept, on any path and in any wrapping', () =>
  fc.assert(
    fc.property(
      field,
      fc.constantFrom(...fieldForms),
      fc.constantFrom('drop' as const, 'hash' as const, 'truncate' as const),
      fc.constantFrom(...Object.keys(paths)),
      fc.constantFrom(...Object.values(messageWrappings)),
      (ruled, form, rule, path, wrap) => {
        const ruleSet: FieldRuleSet = { [pathOfField(ruled)]: rule };
        const rules = MessageRules.forSource({ pii: ruleSet }, (value) => `hash of ${value.length}`);
        const read = (paths as Record<string, ReturnType<typeof segment>>)[path];
        if (!rules || !read) throw new Error('no such path');
        const { body, batch } = wrap(messageWith(ruled, form, secret));
        for (const result of read(body, rules, batch))
          if (result !== undefined) expect(JSON.stringify(result)).not.toContain(secret);
      },
    ),
    { numRuns: 20_000 },
  ));

it.each(Object.entries(paths))('a source without user agents keeps none that a %s says in its context', (_, read) => {
  const rules = MessageRules.forSource({ userAgent: 'drop' }, () => undefined);
  if (!rules) throw new Error('the source has no rules');
  const context = { user_agent: secret, userAgent: secret, userAgentData: { platform: secret }, locale: 'de' };
  const kept = JSON.stringify(read({ userId: 'u', event: 'e', context }, rules));
  expect(kept).not.toContain(secret);
  expect(kept).toContain('"locale":"de"');
});
