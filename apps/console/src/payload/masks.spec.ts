import { expect, it } from 'vitest';
import { defaultMasks } from './default-masks.js';
import { PayloadMasks } from './masks.js';

const masks = new PayloadMasks(defaultMasks, 'secret');
const shown = (value: unknown): unknown => JSON.parse(masks.show(JSON.stringify(value), true).json);

it('masks by name and by path, in lists too, and leaves the rest', () => {
  const masked = shown({
    traits: { email: 'ann@shop.example', plan: 'gold' },
    list: [{ context: { ip: '10.0.0.1', os: 'x' } }],
    ship: '10 knots',
  });

  expect(masked).toEqual({
    traits: { email: expect.stringMatching(/^‹string, 16, [0-9a-f]{4}›$/) as string, plan: 'gold' },
    list: [{ context: { ip: expect.stringMatching(/^‹string, 8, /) as string, os: 'x' } }],
    ship: '10 knots',
  });
});

it('masks a name that is written with dots', () =>
  expect(JSON.stringify(shown({ 'context.ip': '10.0.0.1', 'traits.Email': 'ann@shop.example' }))).not.toMatch(
    /10\.0|ann@/,
  ));

it('masks values that are kept as text under the names that they had', () => {
  const more = {
    ip: '10.0.0.1',
    address: { street: 'Main' },
    list: [null, null, { card_number: [4_915] }],
    'a.first_name': 'Ann',
    ok: 'y',
  };
  const context = { _more_names: JSON.stringify(more) };
  const text = JSON.stringify(shown({ context }));
  expect(text).not.toMatch(/10\.0|Main|4915|Ann/);
  expect(text).toContain('\\"ok\\":\\"y\\"');
});

it('gives equal values equal tags, and different values different ones', () => {
  const tag = (email: string, source_id = 'a', received_at = '2026-01-01T00:00:00Z'): unknown =>
    (shown({ email, source_id, received_at }) as { email: string }).email;

  expect(tag('a@b.example')).toBe(tag('a@b.example'));
  expect(tag('a@b.example', 'a', '2026-01-01T23:00:00Z')).toBe(tag('a@b.example'));
  expect(tag('a@b.example')).not.toBe(tag('c@b.example'));
  expect(tag('a@b.example', 'b')).not.toBe(tag('a@b.example'));
  expect(tag('a@b.example', 'a', '2026-01-02T00:00:00Z')).not.toBe(tag('a@b.example'));
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

it('keeps large integers, and cuts at 65,536 characters', () => {
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

it('masks values wherever they stand: names, texts, JSON in texts, URLs, numbers', () => {
  const masked = JSON.stringify(
    shown({
      user_id: 'ann@shop.example',
      properties: {
        'e-mail': 'x1@shop.example',
        note: 'write to x2@shop.example',
        raw: '{"phone_number":"secret1","list":["x3@shop.example"]}',
        'x4@shop.example': 1,
        card: 4111111111111111,
        page: { url: 'https://shop.example/?q=secret2' },
      },
    }),
  );
  expect(masked).not.toMatch(/@|secret|4111/);
  expect(masked).toContain('https://shop.example/‹query');
});

it('masks an address whose name ClickHouse has split at its dots', () => {
  const masked = JSON.stringify(shown({ properties: { 'ann@shop': { example: 1 }, 'at @home': { n: 1 } } }));
  expect(masked).not.toContain('ann');
  expect(masked).toContain('at @home');
});

it('masks columns like the fields of payloads, and does not let them be filtered by', () => {
  const scope = { source: 'a', at: '2026-01-01' };
  const { masked: view, plain } = new PayloadMasks(['userId', 'event'], 'secret');
  expect(view.value('user_id', 'user-1', scope)).toMatch(/^‹string, 6, [0-9a-f]{4}›$/);
  expect(view.value('anonymous_id', 'x@shop.example', scope)).toMatch(/^‹email, /);
  expect(view.value('topic', 'tracking.track.v1', scope)).toBe('tracking.track.v1');
  expect([view.hides('user_id', 'user-1'), view.hides('source', 'x@shop.example')]).toEqual([true, true]);
  expect([view.hides('source', 'AbCdEf123456'), plain.hides('user_id', 'user-1')]).toEqual([false, false]);
});
