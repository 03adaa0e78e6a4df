/**
 * Whether a `Prefer` header asks for `handling=lenient`; of several preferences of one name the first counts (RFC 7240).
 * Read by hand: patterns for it take the square of the header's length.
 */
export function isLenient(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false;
  for (const preference of [prefer].flat().join(',').split(',')) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2);
    if (name.trim().toLowerCase() === 'handling') return unquoted(value.trim()).toLowerCase() === 'lenient';
  }
  return false;
}

const unquoted = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
