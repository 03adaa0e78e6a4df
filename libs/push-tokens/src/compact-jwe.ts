/** The parts of a JWE in compact form (RFC 7516 §7.1) with the only accepted algorithms: `dir` and `A256GCM`. */
export interface CompactJwe {
  kid: string;
  /** The encoded header exactly as in the token, because the tag authenticates that text. */
  header: string;
  iv: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/** Bounds the text that an attacker can make Sluice decode. The longest token of Sluice has 2,330 characters. */
export const maxTokenLength = 2_400;

/** Parses a token; undefined for anything else. `maxTokenLength` bounds the cost. */
export function parseCompactJwe(text: unknown): CompactJwe | undefined {
  if (typeof text !== 'string' || text.length > maxTokenLength) return undefined;
  const [header = '', encryptedKey, ...parts] = text.split('.', 6);
  const [iv, ciphertext, tag] = parts.map(decodePart);
  if (encryptedKey !== '' || parts.length !== 3 || iv?.length !== 12 || !ciphertext || tag?.length !== 16) {
    return undefined;
  }
  const kid = readKid(header);
  return kid === undefined ? undefined : { kid, header, iv, ciphertext, tag };
}

function readKid(header: string): string | undefined {
  try {
    const { alg, enc, kid, ...otherMembers } = JSON.parse(decodePart(header)?.toString() ?? '') as Record<
      string,
      unknown
    >;
    // Unknown members, such as compression or critical extensions, must not be ignored (RFC 7516 §5.2).
    if (alg !== 'dir' || enc !== 'A256GCM' || typeof kid !== 'string') return undefined;
    return Object.keys(otherMembers).every((name) => name === 'typ') ? kid : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes base64url strictly, so that each token has one text: Node ignores bytes and bits outside the encoding. */
function decodePart(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}
