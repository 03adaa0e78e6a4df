/** The parts of a JWE in compact form (RFC 7516 §7.1) with the one algorithm of ours: `dir` and `A256GCM`. */
export interface CompactJwe {
  kid: string;
  /** The header as it stands in the token: it is authenticated as it is. */
  header: string;
  iv: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/** Bounds what an attacker can make us decode; the longest token of ours has 2,330 characters. */
export const maxTokenLength = 2_400;

/** Undefined for anything that is not such a token. Costs no more than the length bound allows. */
export function parseCompactJwe(text: unknown): CompactJwe | undefined {
  if (typeof text !== 'string' || text.length > maxTokenLength) return undefined;
  const [header = '', encryptedKey, ...rest] = text.split('.', 6);
  const [iv, ciphertext, tag] = rest.map(bytesOf);
  if (encryptedKey !== '' || rest.length !== 3 || iv?.length !== 12 || !ciphertext || tag?.length !== 16) {
    return undefined;
  }
  const kid = kidOf(header);
  return kid === undefined ? undefined : { kid, header, iv, ciphertext, tag };
}

function kidOf(header: string): string | undefined {
  try {
    const { alg, enc, kid, ...others } = JSON.parse(bytesOf(header)?.toString() ?? '') as Record<string, unknown>;
    // Compression, critical extensions: what this code does not know must not be passed over (RFC 7516 §5.2).
    if (alg !== 'dir' || enc !== 'A256GCM' || typeof kid !== 'string') return undefined;
    return Object.keys(others).every((name) => name === 'typ') ? kid : undefined;
  } catch {
    return undefined;
  }
}

/** One text for one token: Node would pass over characters and bits that are not part of the encoding. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}
