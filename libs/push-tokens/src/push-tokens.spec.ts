import { createSecretKey, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { compactDecrypt, CompactEncrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { parseKeyRing } from './key-ring.js';
import { type PushToken } from './push-token.js';
import { PushTokens } from './push-tokens.js';

const keys = Object.fromEntries(['old', 'new', 'theirs'].map((kid) => [kid, randomBytes(32)])) as Record<
  'old' | 'new' | 'theirs',
  Buffer
>;
const ring = (...kids: (keyof typeof keys)[]) =>
  parseKeyRing(kids.map((kid) => `${kid}:${keys[kid].toString('base64url')}`).join(','));
const tokensWith = (...kids: (keyof typeof keys)[]) =>
  new PushTokens({ PUSH_TOKEN_KEYS: ring(...kids), PUSH_TOKEN_ACTIVE_KEY: '' });

const aPushToken = (changes: Partial<PushToken> = {}): PushToken => ({
  notificationId: '0192f0c0-1111-7222-8333-444455556666',
  source: 'AbCdEf123456',
  campaign: 'spring',
  variation: 'b',
  profile: 'p-1',
  channel: 'web-push',
  provider: 'fcm',
  issuedAt: 1_790_000_000_000,
  ...changes,
});

/** A token with any claims and header, as any holder of the key can make it. */
const seal = (claims: unknown, header: Record<string, string> = {}, key = keys.new) =>
  new CompactEncrypt(Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: 'new', ...header })
    .encrypt(key);

const thrownBy = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  throw new Error('nothing was thrown');
};

describe('a token', () => {
  const tokens = tokensWith('new', 'old');

  it('opens to the sealed content, whatever the claims', async () => {
    const unit = fc.constantFrom('a', 'Z', '0', ' ', '-', '.', '"', '\\', 'é', 'ش', '🌹');
    const printable = fc.string({ unit, minLength: 1, maxLength: 64 }).filter((text) => text.trim() !== '');
    const claims = fc.record({
      ...Object.fromEntries(
        ['notificationId', 'campaign', 'variation', 'profile', 'channel', 'provider'].map((name) => [name, printable]),
      ),
      issuedAt: fc.nat(5_662_310_399).map((seconds) => seconds * 1_000),
    });
    await fc.assert(
      fc.asyncProperty(claims, async (some) => {
        const token = aPushToken(some);
        const text = await tokens.seal(token);
        expect(tokens.open(text)).toEqual(token);
      }),
    );
  });

  it('opens however long its claims are', async () => {
    const long = '🌹'.repeat(64);
    const longest = {
      notificationId: long,
      campaign: long,
      variation: long,
      profile: long,
      channel: long,
      provider: long,
    };
    const kid = 'k'.repeat(32);
    const config = {
      PUSH_TOKEN_KEYS: parseKeyRing(`${kid}:${keys.new.toString('base64url')}`),
      PUSH_TOKEN_ACTIVE_KEY: kid,
    };
    const text = await new PushTokens(config).seal(aPushToken(longest));
    expect(new PushTokens(config).open(text)).toEqual(aPushToken(longest));
    expect(text.length).toBeLessThanOrEqual(2_330);
  });

  it('is a JWE that any JOSE library opens, and is not readable without the key', async () => {
    const text = await tokens.seal(aPushToken());
    const { plaintext, protectedHeader } = await compactDecrypt(text, keys.new);
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: 'new' });
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual({
      jti: aPushToken().notificationId,
      src: 'AbCdEf123456',
      cmp: 'spring',
      var: 'b',
      prf: 'p-1',
      chn: 'web-push',
      prv: 'fcm',
      iat: 1_790_000_000,
    });
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('spring');
  });

  it.each(['campaign', 'notificationId', 'provider'] as const)(
    'is not sealed with a %s out of bounds',
    async (name) => {
      for (const value of ['', ' ', 'x'.repeat(65), 'a\nb', '\ud800']) {
        await expect(tokens.seal(aPushToken({ [name]: value }))).rejects.toThrow(name);
      }
      await expect(tokens.seal(aPushToken({ source: 'short' }))).rejects.toThrow('source');
      await expect(tokens.seal(aPushToken({ issuedAt: NaN }))).rejects.toThrow('issuedAt');
    },
  );
});

describe('rotation', () => {
  it('seals with the first key or the named one, and opens with all keys', async () => {
    const before = await tokensWith('old').seal(aPushToken());
    const rotating = tokensWith('new', 'old');
    const named = new PushTokens({ PUSH_TOKEN_KEYS: ring('new', 'old'), PUSH_TOKEN_ACTIVE_KEY: 'old' });

    expect(rotating.open(before)).toEqual(aPushToken());
    expect(tokensWith('new').open(await rotating.seal(aPushToken()))).toEqual(aPushToken());
    expect(tokensWith('old').open(await named.seal(aPushToken()))).toEqual(aPushToken());
  });

  it('opens no token of a key outside the ring, not even under the kid of a key in it', async () => {
    const theirs = await tokensWith('theirs').seal(aPushToken());
    expect(tokensWith('new', 'old').open(theirs)).toBeUndefined();
    expect(tokensWith('new').open(await seal({}, {}, keys.theirs))).toBeUndefined();
    expect(tokensWith().open(theirs)).toBeUndefined();
  });

  it('seals nothing without a key, and refuses an unknown active key as a bad configuration', async () => {
    await expect(tokensWith().seal(aPushToken())).rejects.toThrow('no key to seal with');
    const unknown = { PUSH_TOKEN_KEYS: ring('new'), PUSH_TOKEN_ACTIVE_KEY: 'newer' };
    expect(() => new PushTokens(unknown)).toThrow('there is no key newer');
  });
});

describe('open refuses a token', () => {
  const tokens = tokensWith('new');

  it('that was changed in any one character', async () => {
    const text = await tokens.seal(aPushToken());
    for (let at = 0; at < text.length; at++) {
      for (const other of ['A', 'b', '_', '.', '=', '%', 'é']) {
        if (other === text[at]) continue;
        expect(tokens.open(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it('that was cut off, prolonged, or had its parts moved', async () => {
    const text = await tokens.seal(aPushToken());
    for (let length = 0; length < text.length; length++) expect(tokens.open(text.slice(0, length))).toBeUndefined();
    for (const end of ['A', '.', ' ', '\0', '.AAAA']) expect(tokens.open(text + end)).toBeUndefined();
    expect(tokens.open(text.split('.').reverse().join('.'))).toBeUndefined();
  });

  it('that is any other text, or not a text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => tokens.open(text) === undefined));
    fc.assert(fc.property(fc.array(fc.base64String()), (parts) => tokens.open(parts.join('.')) === undefined));
    for (const value of [undefined, null, 1, {}, ['a'], 'x'.repeat(1e6), '.'.repeat(1e6)]) {
      expect(tokens.open(value)).toBeUndefined();
    }
  });

  it('that was sealed with a valid key, but has invalid claims', async () => {
    const good = { jti: 'n', src: 'AbCdEf123456', cmp: 'c', var: 'v', prf: 'p', chn: 'c', prv: 'p', iat: 5 };
    expect(tokens.open(await seal(good))).toMatchObject({ notificationId: 'n', issuedAt: 5_000 });

    const bad = [null, [], 'x', {}, '{"jti":', { ...good, iat: '5' }, { ...good, iat: -1 }, { ...good, iat: 0.5 }];
    const overlong = { ...good, cmp: 'x'.repeat(65) };
    for (const claims of [...bad, overlong, { ...good, jti: 7 }, { ...good, src: 'short' }, { ...good, prv: '' }]) {
      expect(tokens.open(await seal(claims))).toBeUndefined();
    }
  });

  it('that is too long, or has an unknown member in its header', async () => {
    const claims = { jti: 'n', src: 'AbCdEf123456', cmp: 'c', var: 'v', prf: 'p', chn: 'c', prv: 'p', iat: 5 };
    expect(tokens.open(await seal(claims, { typ: 'JWE' }))).toBeDefined();
    expect(tokens.open(await seal(claims, { cty: 'x' }))).toBeUndefined();
    const key = createSecretKey(keys.new);
    const longText = Buffer.from(JSON.stringify({ ...claims, x: 'x'.repeat(2_400) }));
    const header = { alg: 'dir', enc: 'A256GCM', kid: 'new' };
    expect(tokens.open(await new CompactEncrypt(longText).setProtectedHeader(header).encrypt(key))).toBeUndefined();
  });
});

describe('the key ring', () => {
  const key = keys.new.toString('base64url');

  it.each([
    ['an entry without a key', 'x'],
    ['an empty entry', ':'],
    ['a short key', `a:${key.slice(1)}`],
    ['a bad kid', `a b:${key}`],
    ['a comma too many', `a:${key},`],
    ['a kid twice', `a:${key},a:${key}`],
    ['padding', `a:${key}=`],
  ])('refuses %s without revealing a key', (_, text) => {
    const reason = thrownBy(() => parseKeyRing(text));
    expect(reason).toMatch(/entry \d/);
    expect(reason).not.toContain(key.slice(1));
  });
});
