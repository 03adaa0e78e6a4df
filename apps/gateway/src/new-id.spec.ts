import { expect, it } from 'vitest';
import { newId } from './new-id.js';

it('returns a UUID of version 7 with the present time, and never the same twice', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  const after = Date.now();

  expect(new Set(ids).size).toBe(ids.length);
  const variants = new Set<string>();
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(time >= before && time <= after).toBe(true);
    variants.add(id.charAt(19));
  }
  expect([...variants].sort()).toEqual(['8', '9', 'a', 'b']);
});
