import { describe, expect, it } from 'vitest';
import { PrivacyKey } from './privacy-key.js';

const key = new PrivacyKey('a secret of the tests, long enough');
const other = new PrivacyKey('another secret of the tests, long enough');

describe('PrivacyKey', () => {
  it('hashes an id to the same 22 characters every time, by its kind and key', () => {
    const hash = key.hash('user', 'u-1');
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(key.hash('user', 'u-1')).toBe(hash);
    const others = [key.hash('anonymous', 'u-1'), key.hash('user', 'u-2'), other.hash('user', 'u-1')];
    expect(new Set([hash, ...others]).size).toBe(4);
  });

  it('hashes a value of a field by its source and key', () => {
    const hash = key.hashField('Source000001', 'ann@shop.example');
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(key.hashField('Source000001', 'ann@shop.example')).toBe(hash);
    const others = [
      key.hashField('Source000002', 'ann@shop.example'),
      key.hashField('Source000001', 'Ann@shop.example'),
      other.hashField('Source000001', 'ann@shop.example'),
      key.hash('user', 'Source000001:ann@shop.example'),
    ];
    expect(new Set([hash, ...others]).size).toBe(5);
  });

  it('has a name that differs by secret', () => {
    expect(key.id).toMatch(/^[0-9a-f]{8}$/);
    expect(other.id).not.toBe(key.id);
  });

  it('opens what it sealed, in the same context only', () => {
    const sealed = key.seal('["u-1","Zoë"]', 'erasure 1');
    expect(key.open(sealed, 'erasure 1')).toBe('["u-1","Zoë"]');
    expect(key.seal('["u-1","Zoë"]', 'erasure 1')).not.toBe(sealed);
    expect(() => key.open(sealed, 'erasure 2')).toThrow();
    expect(() => other.open(sealed, 'erasure 1')).toThrow();
    expect(() => key.open(`${sealed.slice(0, -4)}AAAA`, 'erasure 1')).toThrow();
    expect(() => key.open('AAAA', 'erasure 1')).toThrow();
  });

  it('refuses a short secret without repeating it', () => {
    expect(() => new PrivacyKey('hunter2')).toThrow(/at least 32 characters/);
    expect(() => new PrivacyKey('hunter2')).not.toThrow(/hunter2/);
  });
});
