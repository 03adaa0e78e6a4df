/** Headers of a file with one `name=value` a line. Lines that begin with `#` or have another form are left out. */
export function parseHeaders(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*)$/.exec(line) ?? [];
      return name === '' || line.startsWith('#') ? [] : [[name, value]];
    }),
  );
}
