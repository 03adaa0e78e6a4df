import { storedContracts, trackTopic } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { readSamples, type MetricSample } from '@sluice/operations';
import { readContracts, listNewerContracts, listRefusedContracts } from './contracts.js';
import { type MetricsProcess } from './processes.js';
import { listConsumerReasons, listGatewayReasons, areConsumersNewer, describeSilent } from './reasons.js';

const topics = [{ name: 'tracking.track.v1', contract: 'track.v2', earlierContracts: ['track.v1'] }];

const info = (role: 'publisher' | 'consumer', topic: string, ...contracts: string[]): MetricSample[] =>
  readSamples(
    contracts.map((contract) => `sluice_${role}_contract_info{topic="${topic}",contract="${contract}"} 1`).join('\n'),
  );
const aProcess = (samples: MetricSample[], unreachable: string | null = null): MetricsProcess => ({
  address: 'a',
  unreachable,
  samples,
});

describe('a gateway', () => {
  it('is refused by a consumer that stores only earlier contracts of its topics', () =>
    expect(listRefusedContracts(readContracts(info('consumer', 'tracking.track.v1', 'track.v1')), topics)).toEqual([
      'track.v2',
    ]));

  it('is taken by a consumer that stores its contract, or nothing of the topic', () => {
    expect(
      listRefusedContracts(readContracts(info('consumer', 'tracking.track.v1', 'track.v2', 'track.v1')), topics),
    ).toEqual([]);
    expect(listRefusedContracts(readContracts(info('consumer', 'catalog.product.v1', 'product.v1')), topics)).toEqual(
      [],
    );
  });

  it('is refused by a consumer of a version that does not say what it stores', () =>
    expect(listRefusedContracts(readContracts([], topics), topics)).toEqual(['track.v2']));
});

it('a gateway that writes deletions is refused by a consumer that does not store them', () => {
  const catalog = [{ name: 'catalog.seller.v1', contract: 'seller.v1', deletionContract: 'seller-deletion.v1' }];
  const refusedBy = (...contracts: string[]) =>
    listRefusedContracts(readContracts(info('consumer', 'catalog.seller.v1', ...contracts)), catalog);
  expect(refusedBy('seller.v1')).toEqual(['seller-deletion.v1']);
  expect(refusedBy('seller-deletion.v1', 'seller.v1')).toEqual([]);
  expect(listRefusedContracts(readContracts([], catalog), catalog)).toEqual(['seller-deletion.v1']);
});

describe('a consumer', () =>
  it('refuses a gateway that writes newer contracts, not one that writes earlier ones', () => {
    expect(listNewerContracts(readContracts(info('publisher', 'tracking.track.v1', 'track.v3')), topics)).toEqual([
      'track.v3',
    ]);
    expect(listNewerContracts(readContracts(info('publisher', 'tracking.track.v1', 'track.v1')), topics)).toEqual([]);
    expect(listNewerContracts(readContracts([], topics), topics)).toEqual([]);
  }));

describe('with the topics of this version', () => {
  const { name, contract } = trackTopic;

  it('two versions with the same contracts wait for nothing', () => {
    const consumer = aProcess(info('consumer', name, ...storedContracts(trackTopic)));
    const gateway = aProcess([...info('publisher', name, contract), ...readSamples('sluice_spool_messages 9')]);

    expect(listConsumerReasons([consumer])).toEqual([]);
    expect(listGatewayReasons([gateway], [consumer])).toEqual([]);
    expect(areConsumersNewer([consumer])).toBe(false);
  });

  it('a consumer after a rollback waits for newer gateways, and for what older ones still hold', () => {
    const newerConsumer = aProcess(info('consumer', name, contract, 'next.v9'));
    const newer = aProcess(info('publisher', name, 'next.v9'));
    const holding = aProcess([...info('publisher', name, contract), ...readSamples('sluice_spool_messages 9')]);

    expect(listGatewayReasons([newer, holding], [newerConsumer])).toEqual([
      'the gateway at a writes next.v9',
      'the gateway at a has messages in its spool',
    ]);
    expect(areConsumersNewer([newerConsumer])).toBe(true);
  });

  it('a process that does not answer is named, and counts as neither version', () => {
    const unreachable = aProcess([], 'ECONNREFUSED');
    expect(listConsumerReasons([unreachable])).toEqual([]);
    expect(describeSilent([unreachable])).toEqual(['a does not answer: ECONNREFUSED']);
  });
});
