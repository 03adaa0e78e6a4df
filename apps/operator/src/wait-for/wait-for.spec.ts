import { trackTopic } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { readSamples, type Sample } from '@sluice/operations';
import { contractsIn, newerThanOurs, refusedBy } from './contracts.js';
import { type Process } from './processes.js';
import { consumersToWaitFor, gatewaysToWaitFor, isStepBack, silent } from './reasons.js';

const ours = [{ name: 'tracking.track.v1', contract: 'track.v2', earlierContracts: ['track.v1'] }];

const info = (who: 'publisher' | 'consumer', topic: string, ...contracts: string[]): Sample[] =>
  readSamples(contracts.map((one) => `sluice_${who}_contract_info{topic="${topic}",contract="${one}"} 1`).join('\n'));
const aProcess = (samples: Sample[], unreachable: string | null = null): Process => ({
  address: 'a',
  unreachable,
  samples,
});

describe('a gateway', () => {
  it('is refused by a consumer that stores only earlier contracts of its topics', () =>
    expect(refusedBy(contractsIn(info('consumer', 'tracking.track.v1', 'track.v1')), ours)).toEqual(['track.v2']));

  it('is taken by a consumer that stores its contract, or nothing of the topic', () => {
    expect(refusedBy(contractsIn(info('consumer', 'tracking.track.v1', 'track.v2', 'track.v1')), ours)).toEqual([]);
    expect(refusedBy(contractsIn(info('consumer', 'catalog.product.v1', 'product.v1')), ours)).toEqual([]);
  });

  it('is refused by a consumer of a version that does not say what it stores', () =>
    expect(refusedBy(contractsIn([], ours), ours)).toEqual(['track.v2']));
});

describe('a consumer', () =>
  it('refuses a gateway that writes newer contracts, not one that writes earlier ones', () => {
    expect(newerThanOurs(contractsIn(info('publisher', 'tracking.track.v1', 'track.v3')), ours)).toEqual(['track.v3']);
    expect(newerThanOurs(contractsIn(info('publisher', 'tracking.track.v1', 'track.v1')), ours)).toEqual([]);
    expect(newerThanOurs(contractsIn([], ours), ours)).toEqual([]);
  }));

describe('with the topics of this version', () => {
  const { name, contract } = trackTopic;

  it('two versions with the same contracts wait for nothing', () => {
    const consumer = aProcess(info('consumer', name, contract));
    const gateway = aProcess([...info('publisher', name, contract), ...readSamples('sluice_spool_messages 9')]);

    expect(consumersToWaitFor([consumer])).toEqual([]);
    expect(gatewaysToWaitFor([gateway], [consumer])).toEqual([]);
    expect(isStepBack([consumer])).toBe(false);
  });

  it('a consumer after a rollback waits for newer gateways, and for what older ones still hold', () => {
    const newerConsumer = aProcess(info('consumer', name, contract, 'next.v9'));
    const newer = aProcess(info('publisher', name, 'next.v9'));
    const holding = aProcess([...info('publisher', name, contract), ...readSamples('sluice_spool_messages 9')]);

    expect(gatewaysToWaitFor([newer, holding], [newerConsumer])).toEqual([
      'the gateway at a writes next.v9',
      'the gateway at a has messages in its spool',
    ]);
    expect(isStepBack([newerConsumer])).toBe(true);
  });

  it('a process that does not answer is named, and counts as neither version', () => {
    const unreachable = aProcess([], 'ECONNREFUSED');
    expect(consumersToWaitFor([unreachable])).toEqual([]);
    expect(silent([unreachable])).toEqual(['a does not answer: ECONNREFUSED']);
  });
});
