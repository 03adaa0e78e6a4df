/**
 * Whether a `Prefer` header asks for `handling=lenient`. The first preference of a name counts (RFC 7240). Parsed
 * without a regular expression, which would take quadratic time.
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
