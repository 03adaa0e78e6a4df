import { sumOf } from '@sluice/operations';
import { type Process } from './processes.js';
import { contractsIn, newerThanOurs, refusedBy } from './contracts.js';

/** Reasons for gateways of this version to wait: consumers that would refuse what they write. */
export const consumersToWaitFor = (consumers: readonly Process[]): string[] =>
  answering(consumers).flatMap(({ address, samples }) =>
    refusedBy(contractsIn(samples)).map((contract) => `the consumer at ${address} would refuse ${contract}`),
  );

/** Reasons for consumers of this version to wait: gateways that write, or still hold, what they would refuse. */
export function gatewaysToWaitFor(gateways: readonly Process[], consumers: readonly Process[]): string[] {
  const writing = answering(gateways).flatMap(({ address, samples }) =>
    newerThanOurs(contractsIn(samples)).map((contract) => `the gateway at ${address} writes ${contract}`),
  );
  const holding = isStepBack(consumers) ? answering(gateways).filter(hasSpooled) : [];
  return [...writing, ...holding.map(({ address }) => `the gateway at ${address} has messages in its spool`)];
}

/** Whether the consumers that run now are newer: then Kafka may hold what this version would refuse. */
export const isStepBack = (consumers: readonly Process[]): boolean =>
  answering(consumers).some(({ samples }) => newerThanOurs(contractsIn(samples)).length > 0);

/** Names the processes that do not answer: they may be of the old version, or not run at all. */
export const silent = (processes: readonly Process[]): string[] =>
  processes.flatMap(({ address, unreachable }) =>
    unreachable === null ? [] : [`${address} does not answer: ${unreachable}`],
  );

const answering = (processes: readonly Process[]): Process[] =>
  processes.filter(({ unreachable }) => unreachable === null);

const hasSpooled = ({ samples }: Process): boolean => sumOf(samples, 'sluice_spool_messages') > 0;
