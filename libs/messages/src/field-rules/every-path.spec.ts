import {
  type FieldRuleSet,
  type FreeForm,
  IdentifyMessage,
  SegmentEvent,
  SegmentIdentify,
  TrackMessage,
} from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageReader } from '../message-reader.js';
import { Report } from '../report.js';
import { batchDefaults } from '../segment/segment-defaults.js';
import { segmentItem } from '../segment/segment-item.js';
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
  rules.kept(body, false),
  stored(reader, body, rules),
];

function segment(type: string) {
  return (body: FreeForm, rules: MessageRules, batch: FreeForm = {}): unknown[] => {
    const item = segmentItem({ ...body, type }, '', batchDefaults(batch, new Report()));
    const kept = rules.kept({ ...batch, ...body, type }, true);
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

const names = fc.constantFrom('email', 'card', 'a');
const fieldPath = fc
  .tuple(fc.constantFrom('properties', 'traits', 'context'), fc.array(names, { minLength: 1, maxLength: 3 }))
  .map(([bag, below]) => ({ bag, below }));

/** Puts the secret at a path, as clients write it: nested, with dots, or through lists. */
function placed(below: readonly string[], form: number): unknown {
  const [first, ...rest] = below;
  if (first === undefined) return form === 2 ? [secret, [secret]] : secret;
  if (form === 1) return { [below.join('.')]: secret };
  const value = { [first]: placed(rest, form), other: 1 };
  return form === 2 ? [value] : value;
}

/** All members of a message that may become the field. */
function bodyWith({ bag, below }: { bag: string; below: string[] }, form: number): FreeForm {
  const value = form === 2 ? { [below[0] ?? '']: placed(below.slice(1), 2) } : placed(below, form);
  const ids = { userId: 'u', event: 'e' };
  if (bag === 'context') return { ...ids, context: value };
  if (bag === 'properties') return { ...ids, properties: value };
  return { ...ids, traits: value, context: { traits: value } };
}

it('a value that a rule covers is in nothing that is stored or kept, on any path and in any wrapping', () =>
  fc.assert(
    fc.property(
      fieldPath,
      fc.nat(2),
      fc.constantFrom('drop' as const, 'hash' as const, 'truncate' as const),
      fc.constantFrom(...Object.keys(paths)),
      fc.constantFrom('none', 'list', 'events', 'message', 'text', 'batch context'),
      (field, form, rule, path, wrapping) => {
        const ruleSet: FieldRuleSet = { [[field.bag, ...field.below].join('.')]: rule };
        const rules = MessageRules.of({ pii: ruleSet }, (value) => `hash of ${value.length}`);
        const whole = bodyWith(field, form);
        const { context, ...withoutContext } = whole;
        const wrappings: Record<string, [body: FreeForm, batch?: FreeForm]> = {
          none: [whole],
          list: [{ list: [whole] }],
          events: [{ events: { 0: whole } }],
          message: [{ userId: 'u', event: 'e', message: whole }],
          text: [
            {
              userId: 'u',
              event: 'e',
              properties: { more: 1 },
              traits: JSON.stringify(whole),
              body: JSON.stringify(whole),
            },
          ],
          'batch context': [withoutContext, { context }],
        };
        const read = (paths as Record<string, ReturnType<typeof segment>>)[path];
        if (!rules || !read) throw new Error('no such path');
        for (const result of read(...([wrappings[wrapping]?.[0] ?? {}, rules, wrappings[wrapping]?.[1]] as const)))
          if (result !== undefined) expect(JSON.stringify(result)).not.toContain(secret);
      },
    ),
    { numRuns: 20_000 },
  ));
