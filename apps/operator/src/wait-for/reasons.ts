import { sumSamples } from '@sluice/operations';
import { type MetricsProcess } from './processes.js';
import { readContracts, listNewerContracts, listRefusedContracts } from './contracts.js';

/** Reasons for gateways of this version to wait: consumers that would refuse their messages. */
export const listConsumerReasons = (consumers: readonly MetricsProcess[]): string[] =>
  selectAnswering(consumers).flatMap(({ address, samples }) =>
    listRefusedContracts(readContracts(samples)).map(
      (contract) => `the consumer at ${address} would refuse ${contract}`,
    ),
  );

/** Reasons for consumers of this version to wait: gateways that write, or still hold, messages that they would refuse. */
export function listGatewayReasons(
  gateways: readonly MetricsProcess[],
  consumers: readonly MetricsProcess[],
): string[] {
  const writing = selectAnswering(gateways).flatMap(({ address, samples }) =>
    listNewerContracts(readContracts(samples)).map((contract) => `the gateway at ${address} writes ${contract}`),
  );
  const holding = areConsumersNewer(consumers) ? selectAnswering(gateways).filter(hasSpooledMessages) : [];
  return [...writing, ...holding.map(({ address }) => `the gateway at ${address} has messages in its spool`)];
}

/** True if the running consumers are newer: Kafka may then hold messages that this version would refuse. */
export const areConsumersNewer = (consumers: readonly MetricsProcess[]): boolean =>
  selectAnswering(consumers).some(({ samples }) => listNewerContracts(readContracts(samples)).length > 0);

/** Names the processes that do not answer: they may be of the old version, or not run at all. */
export const describeSilent = (processes: readonly MetricsProcess[]): string[] =>
  processes.flatMap(({ address, unreachable }) =>
    unreachable === null ? [] : [`${address} does not answer: ${unreachable}`],
  );

const selectAnswering = (processes: readonly MetricsProcess[]): MetricsProcess[] =>
  processes.filter(({ unreachable }) => unreachable === null);

const hasSpooledMessages = ({ samples }: MetricsProcess): boolean => sumSamples(samples, 'sluice_spool_messages') > 0;
