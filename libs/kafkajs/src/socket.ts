// Takes the place of kafkajs/src/network/socketFactory.js, by the option that kafkajs has for it.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';

/** Upper bound of one read. */
const readBytes = 256 * 1024;
const keepAliveMs = 60_000;

/** The arguments that kafkajs gives. Its types leave out that `ssl` may be missing. */
type SocketArguments = Omit<ISocketFactoryArgs, 'ssl'> & { ssl?: ConnectionOptions | undefined };

/**
 * Opens sockets as kafkajs does. Without TLS it reads everything into one buffer instead of a new one each time, so a
 * listener of `data` must copy what it needs before it returns (response-bytes.ts does).
 */
export function openSocket({ host, port, ssl, onConnect }: SocketArguments): Socket {
  const socket = ssl
    ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
    : connectPlain(host, port, onConnect);
  return socket.setKeepAlive(true, keepAliveMs);
}

function connectPlain(host: string, port: number, onConnect: () => void): Socket {
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const callback = (length: number): boolean => {
    socket.emit('data', buffer.subarray(0, length));
    return true;
  };
  const socket = connect({ host, port, onread: { buffer, callback } }, onConnect);
  return socket;
}
