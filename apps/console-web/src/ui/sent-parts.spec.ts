import { describe, expect, it } from 'vitest';
import { splitParts } from './sent-parts';

const kinds = (text: string, keepLines = false): string[] => splitParts(text, keepLines).map(({ kind }) => kind);

describe('parts of a text that was sent', () => {
  it.each(['', 'order_completed', '\u202e', 'a\u202eb\u2069', '\u0000\ufeff', '\ud800', `${'\u200b'.repeat(500)}x`])(
    'are the text: %j',
    (text) => {
      const together = splitParts(text, false).map((part) => part.text);
      expect(together.join('')).toBe(text);
    },
  );

  it('set invisible characters apart, and leave joiners of Persian and of emoji where they are', () => {
    expect(kinds('a\u202eb\u2069')).toEqual(['text', 'code', 'text', 'code']);
    expect(kinds('می\u200cخواهم 👩\u200d👩')).toEqual(['text']);
    expect(kinds('a\nb')).toEqual(['text', 'code', 'text']);
    expect(kinds('a\nb\u0000', true)).toEqual(['text', 'code']);
  });

  it('are few, however many characters are invisible', () => {
    expect(splitParts('\u200b'.repeat(65_536), false)).toHaveLength(201);
    expect(kinds('\u200b'.repeat(300)).at(-1)).toBe('rest');
  });
});
