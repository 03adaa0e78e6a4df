const isZero = /^q=0(?:\.0*)?$/i;

/** Whether `Accept-Encoding` takes an encoding by its name (RFC 9110, section 12.5.3); `*` does not count. */
export function acceptsEncoding(header: string | string[] | undefined, encoding: string): boolean {
  if (typeof header !== 'string') return false;
  return header.split(',').some((entry) => {
    const [name = '', ...parameters] = entry.split(';');
    if (name.trim().toLowerCase() !== encoding) return false;
    return !parameters.some((parameter) => isZero.test(parameter.trim()));
  });
}
