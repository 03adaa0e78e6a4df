import { openSocket } from '@sluice/kafkajs';
import { type KafkaConnection } from './config.js';
import { withinDeadline } from './deadline.js';
import { tlsOptions } from './security.js';

/** An ApiVersions request, version 0, without a client id: brokers answer it before any sign-in. */
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);

/**
 * Resolves as soon as one of the configured brokers answers. A connection alone proves nothing: the operating system
 * accepts it even for a frozen process. The second try, at half of the time, makes up for a lost packet.
 * @throws Error with the reason when none answers in time.
 */
export async function untilBrokerAnswers(config: KafkaConnection, withinMs: number): Promise<void> {
  const stop = new AbortController();
  const tries = config.KAFKA_BROKERS.flatMap((broker) => [
    ask(config, broker, 0, stop.signal),
    ask(config, broker, withinMs / 2, stop.signal),
  ]);
  try {
    await withinDeadline(Promise.any(tries), withinMs, 'no answer');
  } catch (error) {
    throw error instanceof AggregateError ? (error.errors[0] as Error) : error;
  } finally {
    stop.abort();
  }
}

function ask(config: KafkaConnection, broker: string, afterMs: number, signal: AbortSignal): Promise<void> {
  const colon = broker.lastIndexOf(':');
  const [host, port] = [broker.slice(0, colon), Number(broker.slice(colon + 1))];
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      const ssl = tlsOptions(config) || undefined;
      const socket = openSocket({ host, port, ssl, onConnect: () => socket.write(apiVersions) });
      socket.once('data', () => resolve());
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      signal.addEventListener('abort', () => socket.destroy());
    };
    const timer = setTimeout(begin, afterMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      // Only settles the try: the outcome is known by now.
      reject(new Error('no answer'));
    });
  });
}
