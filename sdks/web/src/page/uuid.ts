/** Version 4. `crypto.randomUUID` is not there on pages without TLS. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte, at) => {
    const value = at === 6 ? (byte & 15) | 64 : at === 8 ? (byte & 63) | 128 : byte;
    return ([4, 6, 8, 10].includes(at) ? '-' : '') + value.toString(16).padStart(2, '0');
  }).join('');
}
