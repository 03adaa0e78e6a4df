import { connect } from 'node:net';

const correlationId = 1;

/** Kafka's ApiVersions request, version 0, without a client id. */
function request(): Buffer {
  const body = Buffer.alloc(10);
  body.writeInt16BE(18, 0);
  body.writeInt16BE(0, 2);
  body.writeInt32BE(correlationId, 4);
  body.writeInt16BE(-1, 8);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
}

/**
 * True if a broker answers ApiVersions, the first request of every client. It opens its port early but answers only
 * when it has joined its cluster and serves requests.
 */
export function brokerAnswers(port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', signal: AbortSignal.timeout(timeoutMs) });
    let answer = Buffer.alloc(0);
    const finish = (isAnswered: boolean) => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.on('connect', () => socket.write(request()));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      // The answer begins with size, correlation id and error code.
      if (answer.length >= 10) finish(answer.readInt32BE(4) === correlationId && answer.readInt16BE(8) === 0);
    });
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
  });
}
