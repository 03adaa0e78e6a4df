import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';

/** The bytes of a file, inflated if they are gzip, whatever the file's name. */
export async function openInflated(file: string): Promise<AsyncIterable<Uint8Array>> {
  const firstBytes = await readFirstBytes(file);
  const stream = createReadStream(file);
  if (!isGzip(firstBytes)) return stream;
  const gunzip = createGunzip();
  stream.once('error', (error) => gunzip.destroy(error));
  return stream.pipe(gunzip);
}

/** The first bytes of a file, inflated: as many as it has, up to the size of one read. */
export async function readStart(file: string): Promise<Uint8Array> {
  for await (const chunk of await openInflated(file)) return chunk;
  return new Uint8Array();
}

async function readFirstBytes(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    return (await handle.read(Buffer.alloc(2), 0, 2, 0)).buffer;
  } finally {
    await handle.close();
  }
}

/** Gzip files begin with these two bytes (RFC 1952, 2.3.1). */
const isGzip = (firstBytes: Buffer): boolean => firstBytes[0] === 0x1f && firstBytes[1] === 0x8b;
