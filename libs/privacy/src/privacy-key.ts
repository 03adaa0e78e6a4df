import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** The kind of an id that names a person within a source. */
export type IdKind = 'user' | 'anonymous';

const minLength = 32;
const hashBytes = 16;
const ivBytes = 12;
const tagBytes = 16;

/** The installation's secret: it hashes the ids of suppressed people and seals those of open erasures. */
export class PrivacyKey {
  /** Names the key in records: 8 hex digits that do not help to guess it. */
  readonly id: string;
  private readonly sealing: Buffer;

  /** @param secret at least 32 characters */
  constructor(private readonly secret: string) {
    if (secret.length < minLength) throw new TypeError(`must have at least ${minLength} characters`);
    this.id = createHash('sha256').update(`sluice privacy key id\n${secret}`).digest('hex').slice(0, 8);
    this.sealing = Buffer.from(hkdfSync('sha256', secret, '', 'sluice privacy sealing', 32));
  }

  /** The keyed hash of an id, 22 characters of base64url. Without the key, nobody can test a guess. */
  hash(kind: IdKind, id: string): string {
    return createHmac('sha256', this.secret).update(`${kind}:${id}`).digest().toString('base64url', 0, hashBytes);
  }

  /** The keyed hash of a field's value, 22 characters of base64url: the same for equal values of one source. */
  hashField(source: string, value: string): string {
    return createHmac('sha256', this.secret)
      .update(`field:${source}:${value}`)
      .digest()
      .toString('base64url', 0, hashBytes);
  }

  /** Encrypts a text (AES-256-GCM). @param context names the owner of the text; only the same context opens it */
  seal(text: string, context: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.sealing, iv).setAAD(Buffer.from(context));
    const bytes = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(bytes).toString('base64url');
  }

  /** Opens what `seal` made. @throws when key or context differ, or the text was changed */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < ivBytes + tagBytes) throw new TypeError('not a sealed text');
    const decipher = createDecipheriv('aes-256-gcm', this.sealing, bytes.subarray(0, ivBytes));
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString();
  }
}
