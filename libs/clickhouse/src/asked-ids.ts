/** No UUID has it. */
const boundary = 'sluice-asked-ids';
const line = (text: string): string => `${text}\r\n`;
const part = (name: string): string => `Content-Disposition: form-data; name="${name}"`;

const start = [
  line(`--${boundary}`),
  line(part('asked_structure')),
  line(''),
  line('message_id UUID'),
  line(`--${boundary}`),
  line(`${part('asked')}; filename="asked"`),
  line('Content-Type: text/tab-separated-values'),
  line(''),
].join('');

/**
 * A request body with UUIDs as the table `asked` of the query ("external data" of ClickHouse). As a list within the
 * query 50,000 of them take ten times as much of its CPU.
 */
export function multipartOf(ids: readonly string[]): { readonly contentType: string; readonly body: Buffer } {
  const body = Buffer.from(`${start}${ids.join('\n')}\n\r\n--${boundary}--\r\n`, 'latin1');
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}
