import { readFileSync } from 'node:fs';
import {
  Category,
  GeneralEntity,
  IdentifyMessage,
  Product,
  ProductVariant,
  Seller,
  TrackMessage,
} from '@sluice/contracts';
import { type MessageType, buildMessageSchema } from '@sluice/messages';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');

/** Rows of the table below a heading: the fields that each row names, and its other cells. */
function documented(heading: string): { fields: string[]; cells: string[] }[] {
  const [, section = ''] = new RegExp(`^#+ ${heading}\\n(.*?)^#`, 'ms').exec(page) ?? [];
  return section.split('\n').flatMap((line) => {
    const [named, ...cells] = line.split(/(?<!\\)\|/).slice(1, -1);
    const fields = [...(named ?? '').matchAll(/`(\w+)`/g)].map(([, field = '']) => field);
    return fields.length === 0 ? [] : [{ fields, cells: cells.map((cell) => cell.trim()) }];
  });
}

const entities: [heading: string, type: MessageType][] = [
  ['Seller', Seller],
  ['Product', Product],
  ['Product variant', ProductVariant],
  ['Category', Category],
  ['General entity', GeneralEntity],
];

describe.each(entities)('docs/api.md, %s', (heading, type) => {
  const { properties, required = [] } = buildMessageSchema(type);
  const rows = documented(heading);

  it('has every field of the message, and no other', () =>
    expect(rows.flatMap(({ fields }) => fields).sort()).toEqual(Object.keys(properties).sort()));

  it('says which fields are required', () => {
    const documented = rows.filter(({ cells }) => cells.at(-1) === 'yes').flatMap(({ fields }) => fields);
    expect(documented.sort()).toEqual([...required].sort());
  });

  it('says the maximal length of each text and URL', () => {
    const lengths = rows.flatMap(({ fields, cells: [rule = ''] }) => {
      const [, length] = /^(?:text, |URL, |text of exactly )(\d+)/.exec(rule) ?? [];
      return length === undefined ? [] : fields.map((field) => [field, Number(length)] as const);
    });
    const limited = Object.entries(properties).flatMap(([field, schema]) => {
      const { maxLength } = schema as { maxLength?: number };
      return maxLength === undefined ? [] : [[field, maxLength] as const];
    });
    expect(Object.fromEntries(lengths)).toEqual(Object.fromEntries(limited));
  });
});

it('docs/api.md has every field of track and identify messages, and says which message has it', () => {
  const of = (kind: string): string[] =>
    documented('Track and identify messages')
      .filter(({ cells: [messages] }) => messages === kind || messages === 'both')
      .flatMap(({ fields }) => fields);
  expect(of('track').sort()).toEqual(Object.keys(buildMessageSchema(TrackMessage).properties).sort());
  expect(of('identify').sort()).toEqual(Object.keys(buildMessageSchema(IdentifyMessage).properties).sort());
});
