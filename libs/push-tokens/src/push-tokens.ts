import { createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { ConfigError } from '@sluice/service';
import { CompactEncrypt } from 'jose';
import { type CompactJwe, parseCompactJwe } from './compact-jwe.js';
import { type PushTokenConfig } from './config.js';
import { fromClaims, type PushToken, toClaims } from './push-token.js';

/**
 * Seals and opens tracking tokens: JWE in compact form, `dir` and `A256GCM`, with the `kid` of the key. The format is
 * described in docs/push.md#making-tokens-yourself.
 * jose seals. Opening uses node:crypto directly, because it is on the hot path (docs/decisions/0020-push-tokens.md).
 */
export class PushTokens {
  private readonly active: string;

  /** @throws ConfigError when the active key is not in the ring. */
  constructor(private readonly config: PushTokenConfig) {
    const { PUSH_TOKEN_KEYS: keys, PUSH_TOKEN_ACTIVE_KEY: active } = config;
    this.active = active === '' ? ([...keys.keys()][0] ?? '') : active;
    if (active !== '' && !keys.has(active)) {
      throw new ConfigError(`PUSH_TOKEN_ACTIVE_KEY: there is no key ${active} in PUSH_TOKEN_KEYS`);
    }
  }

  /** @throws RangeError that names a claim out of bounds, ConfigError when there is no key. */
  async seal(token: PushToken): Promise<string> {
    const key = this.config.PUSH_TOKEN_KEYS.get(this.active);
    if (!key) throw new ConfigError('PUSH_TOKEN_KEYS: there is no key to seal with');
    return new CompactEncrypt(Buffer.from(JSON.stringify(toClaims(token))))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: this.active })
      .encrypt(key);
  }

  /**
   * The token's content; undefined if no key of the ring sealed it, or its claims are invalid. A decryption is always
   * tried, so that the time does not reveal what is wrong with a token.
   */
  open(text: unknown): PushToken | undefined {
    const jwe = parseCompactJwe(text) ?? noToken;
    const plaintext = decrypt(jwe, this.config.PUSH_TOKEN_KEYS.get(jwe.kid) ?? nobodysKey);
    if (plaintext === undefined) return undefined;
    try {
      return fromClaims(JSON.parse(plaintext));
    } catch {
      return undefined;
    }
  }
}

const nobodysKey = createSecretKey(randomBytes(32));
/** Decrypted in place of a text that is not a token. */
const noToken: CompactJwe = {
  kid: '',
  header: '',
  iv: randomBytes(12),
  ciphertext: randomBytes(192),
  tag: randomBytes(16),
};

function decrypt({ header, iv, ciphertext, tag }: CompactJwe, key: KeyObject): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(header, 'latin1')).setAuthTag(tag);
  try {
    const plaintext = decipher.update(ciphertext);
    decipher.final(); // throws unless key, header, content and tag belong together
    return plaintext.toString();
  } catch {
    return undefined;
  }
}
