// Takes the place of kafkajs/src/network/socketFactory.js, by the option that kafkajs has for it.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';

/** The most that is read at once. */
const readBytes = 256 * 1024;
const keepAliveMs = 60_000;

/** As kafkajs calls it, whose types leave out that there may be no `ssl`. */
type SocketArguments = Omit<ISocketFactoryArgs, 'ssl'> & { ssl?: ConnectionOptions | undefined };

/**
 * Opens sockets as kafkajs does, but without TLS reads all that comes into one buffer instead of a new one each time:
 * a listener of `data` must have copied what it needs when it returns (response-bytes.ts does).
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
