import { afterEach, expect, it, vi } from 'vitest';
import { uuid } from './uuid.js';

const version4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

afterEach(() => {
  vi.unstubAllGlobals();
});

it('ids come from the browser', () => expect(uuid()).toMatch(version4));

it('a page without TLS makes its own, from its random numbers', () => {
  const original = crypto;
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => original.getRandomValues(bytes) });
  const ids = Array.from({ length: 1_000 }, uuid);
  expect(ids.filter((id) => !version4.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
});
