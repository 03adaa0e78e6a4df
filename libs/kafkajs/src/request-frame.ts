// Takes the place of kafkajs/src/protocol/request.js.
import { type createRequire } from 'node:module';
import { type Encoder, makeByteWrapper } from './finished-bytes.js';
import { replaceModule } from './replace-module.js';

/** The arguments that kafkajs gives to the encoder of a request. */
interface FrameParameters {
  correlationId: number;
  clientId: string;
  request: { apiKey: number; apiVersion: number; encode: () => Promise<Encoder> };
}

const sizeLength = 4;

/**
 * Puts size and header before a request with one copy. kafkajs makes two, each into a new buffer of the next power of
 * two that it fills with zeros first: 4 MB of zeros and 2 MB of copies for a send of 1 MB.
 */
export function replaceRequestFrame(require: ReturnType<typeof createRequire>): void {
  const wrapBytes = makeByteWrapper(require);
  const frame = async ({ correlationId, clientId, request }: FrameParameters): Promise<Encoder> => {
    const { buf, offset } = await request.encode();
    const body = buf.subarray(0, offset);
    return wrapBytes(Buffer.concat([frameHeader(request, correlationId, clientId, body.length), body]));
  };
  replaceModule(require, 'kafkajs/src/protocol/request.js', () => frame);
}

/** Encodes size and header, version 1 (Kafka's protocol guide). */
function frameHeader(
  { apiKey, apiVersion }: FrameParameters['request'],
  correlationId: number,
  clientId: string,
  bodyLength: number,
): Buffer {
  const name = Buffer.from(clientId);
  const header = Buffer.allocUnsafe(sizeLength + 10 + name.length);
  let end = header.writeInt32BE(header.length - sizeLength + bodyLength, 0);
  end = header.writeInt16BE(apiKey, end);
  end = header.writeInt16BE(apiVersion, end);
  end = header.writeInt32BE(correlationId, end);
  end = header.writeInt16BE(name.length, end);
  name.copy(header, end);
  return header;
}
