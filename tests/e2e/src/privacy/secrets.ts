import { randomBytes } from 'node:crypto';

const numberLength = 5;
const keyLength = 43;

/** Makes texts that stand nowhere else, and finds them again in whatever spelling they were kept. */
export class Secrets {
  private readonly marker = `zq${randomBytes(6).toString('hex')}x`;
  private readonly origins: string[] = [];

  /** A text for one message. @param origin what a failure says of it */
  make(origin: string): string {
    this.origins.push(origin);
    return this.marker + (this.origins.length - 1).toString(36).padStart(numberLength, '0');
  }

  /** A text with the form of an API key: 256 bits as base64url. */
  makeKey(origin: string): string {
    return this.make(origin).padEnd(keyLength, 'Kq-_8');
  }

  get count(): number {
    return this.origins.length;
  }

  /** The spellings to look for, in a text without backslashes and in lower case. */
  get needles(): readonly string[] {
    const escaped = Array.from(this.marker, (char) => `u00${char.charCodeAt(0).toString(16)}`).join('');
    // Base64 of a text depends on where it begins in its group of three bytes; the ends of the marker are left out.
    const encoded = [0, 1, 2].map((before) =>
      Buffer.from('.'.repeat(before) + this.marker)
        .toString('base64')
        .slice(4, 16),
    );
    return [this.marker, escaped, ...encoded].map((needle) => needle.toLowerCase());
  }

  /** The secret that a text has, as far as that can be read. */
  find(text: string): string | undefined {
    const plain = text.replaceAll('\\', '').toLowerCase();
    const index = this.needles.map((needle) => plain.indexOf(needle)).find((position) => position >= 0);
    if (index === undefined) return undefined;
    const number = parseInt(plain.slice(index + this.marker.length, index + this.marker.length + numberLength), 36);
    return `${this.origins[number] ?? 'a secret'}: …${plain.slice(Math.max(0, index - 150), index + 150)}…`;
  }
}

/** The same text with each character of it escaped, as JSON allows. */
export const escapedText = (text: string): string =>
  Array.from(text, (char) => `\\u00${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
