import { OperationError } from '@sluice/operations';

/**
 * Decodes a file, without a byte order mark.
 * @throws OperationError when it is not UTF-8: replacement characters would be stored as if the record contained them.
 */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new OperationError(`${file} is not UTF-8: convert it, and import it again`, { cause: error });
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** Splits text into lines. node:readline also splits at U+2028 and U+2029, which are allowed in JSON strings. */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let line = '';
  let pendingReturn = '';
  for await (const chunk of texts) {
    const text = pendingReturn + chunk;
    // The second half of a line end may be in the next chunk.
    pendingReturn = text.endsWith('\r') ? '\r' : '';
    const [firstLine = '', ...nextLines] = text.slice(0, text.length - pendingReturn.length).split(/\r\n|\n|\r/);
    line += firstLine;
    for (const nextLine of nextLines) {
      yield line;
      line = nextLine;
    }
  }
  yield line;
}
