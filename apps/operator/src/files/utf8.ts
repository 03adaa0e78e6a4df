import { OperationError } from '@sluice/operations';

/**
 * Decodes a file, without a byte order mark.
 * @throws OperationError when it is not UTF-8: replacement characters would be stored as if the record contained them.
 */
export async function* utf8Of(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
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
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let held = '';
  for await (const chunk of texts) {
    const text = held + chunk;
    // The second half of a line end may be in the next chunk.
    held = text.endsWith('\r') ? '\r' : '';
    const [first = '', ...others] = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
  }
  yield rest;
}
