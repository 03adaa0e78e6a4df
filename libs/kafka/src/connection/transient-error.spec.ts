import { KafkaJSError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } from '@sluice/kafkajs';
import { expect, it } from 'vitest';
import { isTransient } from './transient-error.js';

/** An error that Kafka answered, as kafkajs creates it. Its types do not say that the constructor takes an object. */
const protocolError = (type: string, retriable: boolean): Error =>
  new KafkaJSProtocolError({ message: 'Kafka says so', type, retriable } as unknown as Error);
const givenUp = (cause: Error): Error => new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 5, retryTime: 300 });

it.each([
  ['an unknown topic', protocolError('UNKNOWN_TOPIC_OR_PARTITION', true)],
  ['an unknown topic that is not flagged', protocolError('UNKNOWN_TOPIC_OR_PARTITION', false)],
  ['a missing leader after all retries', givenUp(protocolError('LEADER_NOT_AVAILABLE', true))],
  ['a closed connection after all retries', givenUp(new KafkaJSError('connection closed', { retriable: true }))],
])('asks again after %s', (_, error) => expect(isTransient(error)).toBe(true));

it.each([
  ['a forbidden topic', givenUp(protocolError('TOPIC_AUTHORIZATION_FAILED', false))],
  ['an error of our own', new TypeError('undefined is not a function')],
])('does not ask again after %s', (_, error) => expect(isTransient(error)).toBe(false));
