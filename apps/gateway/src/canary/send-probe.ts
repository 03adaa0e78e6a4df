import { request } from 'node:http';
import { canaryEvent, canarySource } from '@sluice/contracts';
import { type ProbeOutcome, type ProbeProperties } from './canary-series.js';

/** Persons of a series; each has its partition, so a series goes to most partitions. */
export const probePeople = 24;
/** Longer than any answer of a gateway takes. */
const answerLimitMs = 10_000;

/** The public address of this gateway, and the key of its canary. */
export interface ProbeTarget {
  readonly host: string;
  readonly port: number;
  readonly key: string;
}

/** Sends a probe to the gateway's public door, with a connection of its own, and says how it was answered. */
export function sendProbe({ host, port, key }: ProbeTarget, properties: ProbeProperties): Promise<ProbeOutcome> {
  const body = JSON.stringify({
    anonymousId: `${properties.series}-${properties.number % probePeople}`,
    event: canaryEvent,
    timestamp: new Date().toISOString(),
    properties,
  });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const path = `/api/tracker/sdk/${canarySource}/track`;
  return new Promise((resolve) => {
    const call = request(
      { host, port, path, method: 'POST', headers, agent: false, signal: AbortSignal.timeout(answerLimitMs) },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200 ? 'accepted' : 'refused');
      },
    );
    // Nothing was sent over a connection that was refused.
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'in_doubt'));
    call.end(body);
  });
}

/** The address by which a process reaches its own listener. */
export function findOwnHost(listenHost: string): string {
  if (listenHost === '0.0.0.0') return '127.0.0.1';
  return listenHost === '::' ? '::1' : listenHost;
}
