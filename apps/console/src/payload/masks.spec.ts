import { expect, it } from 'vitest';
import { Masks, usualMasks } from './masks.js';

const masks = new Masks(usualMasks, 'secret');
const shown = (value: unknown): unknown => JSON.parse(masks.show(JSON.stringify(value), true).json);

it('masks by name and by path, in lists too, and leaves the rest', () => {
  const masked = shown({
    traits: { email: 'ann@shop.example', plan: 'gold' },
    list: [{ context: { ip: '10.0.0.1', os: 'x' } }],
    ip: '10.0.0.1',
  });

  expect(masked).toEqual({
    traits: { email: expect.stringMatching(/^‹string, 16, [0-9a-f]{4}›$/) as string, plan: 'gold' },
    list: [{ context: { ip: expect.stringMatching(/^‹string, 8, /) as string, os: 'x' } }],
    ip: '10.0.0.1',
  });
});

it('masks a name that is written with dots', () => {
  expect(JSON.stringify(shown({ 'context.ip': '10.0.0.1', 'traits.Email': 'ann@shop.example' }))).not.toMatch(
    /10\.0|ann@/,
  );
});

it('gives equal values equal tags, and different values different ones', () => {
  const tag = (email: string): unknown => (shown({ email }) as { email: string }).email;

  expect(tag('a@b.example')).toBe(tag('a@b.example'));
  expect(tag('a@b.example')).not.toBe(tag('c@b.example'));
});

it('masks whole objects, lists, numbers and null', () => {
  const masked = shown({ address: { street: 'Main' }, phone: [1, 2], mobile: 4_915, email: null });

  expect(JSON.stringify(masked)).not.toMatch(/Main|4915/);
  expect(masked).toMatchObject({
    address: expect.stringMatching('‹object') as string,
    email: expect.stringMatching('‹null') as string,
  });
});

it('shows nothing of a text that it cannot read', () => {
  const { json, isMasked } = masks.show('{"email":"ann@shop.example"', true);

  expect(isMasked).toBe(true);
  expect(json).not.toContain('ann');
});

it('keeps large integers, and cuts at 64 KB', () => {
  expect(masks.show('{"id":9007199254740993}', true).json).toContain('9007199254740993');
  const large = masks.show(JSON.stringify({ text: 'x'.repeat(1_000_000) }), false);
  expect(large).toMatchObject({ isCut: true, isMasked: false });
  expect(large.json).toHaveLength(65_536);
});

it('masks one of 3,000 names', () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`name${i}`, i]));

  expect(
    Object.values(shown({ ...many, email: 'ann@shop.example' }) as object).filter((one) => typeof one === 'string'),
  ).toHaveLength(1);
});
