import { hash } from 'node:crypto';
import { compactDecrypt, CompactEncrypt } from 'jose';

const algorithm = { alg: 'dir', enc: 'A256GCM' } as const;

/** Seals and opens small values with the console's secret: JWE, RFC 7516. The purpose is part of the key. */
export class Sealed {
  constructor(private readonly secret: string) {}

  async seal(purpose: string, value: unknown): Promise<string> {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    return new CompactEncrypt(bytes).setProtectedHeader(algorithm).encrypt(this.deriveKey(purpose));
  }

  /** The value, or undefined when it was not sealed with this secret for this purpose. */
  async open(purpose: string, sealed: string): Promise<unknown> {
    try {
      const { plaintext } = await compactDecrypt(sealed, this.deriveKey(purpose), {
        keyManagementAlgorithms: [algorithm.alg],
        contentEncryptionAlgorithms: [algorithm.enc],
      });
      return JSON.parse(new TextDecoder().decode(plaintext));
    } catch {
      return undefined;
    }
  }

  private deriveKey(purpose: string): Buffer {
    return hash('sha256', `sluice-console:${purpose}:${this.secret}`, 'buffer');
  }
}
