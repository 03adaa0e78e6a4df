import { Logger } from '@nestjs/common';
import { Kafka, type Kafka as KafkaClient, type LogEntry, logLevel, openSocket, Partitioners } from '@sluice/kafkajs';
import { type KafkaConnection } from './config.js';
import { saslOptions, tlsOptions } from './security.js';

/** kafkajs' own limits stall for 18 to 188 s when brokers are down (measured); these keep every wait under 5 s. */
export const kafkaRequestTimeoutMs = 4_000;
const connectionTimeoutMs = 2_000;

/** The only place where a kafkajs client is created. */
export function createKafka(config: KafkaConnection, clientId: string): KafkaClient {
  const sasl = saslOptions(config);
  return new Kafka({
    clientId,
    brokers: config.KAFKA_BROKERS,
    ssl: tlsOptions(config),
    ...(sasl && { sasl }),
    authenticationTimeout: kafkaRequestTimeoutMs,
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: kafkaRequestTimeoutMs,
    enforceRequestTimeout: true,
    socketFactory: openSocket,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator: () => logToNest,
  });
}

// The publisher chooses partitions; naming a partitioner silences a warning of kafkajs.
export const createPartitioner = Partitioners.DefaultPartitioner;

const logger = new Logger('kafkajs');

/** Logs only fields that cannot hold a message, a key or a credential. */
function logToNest({ level, log }: LogEntry): void {
  const { message, error, broker, groupId } = log as unknown as Record<string, unknown>;
  const line = { msg: message, error, broker, groupId };
  // kafkajs retries most of what it logs as an error; what it does not retry it throws.
  if (level === logLevel.ERROR) logger.warn(line);
  else logger.debug(line);
}
