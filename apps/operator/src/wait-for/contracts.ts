import { type MetricSample } from '@sluice/operations';
import { allTopics, storedContracts, type Topic, writtenContracts } from '@sluice/contracts';

/** Contracts that a process writes or stores, by topic. */
export type Contracts = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the contracts that a process writes or stores from its metrics; without these metrics, the oldest contracts. */
export function readContracts(samples: readonly MetricSample[], topics: readonly Topic[] = allTopics): Contracts {
  const contracts = new Map<string, Set<string>>();
  for (const { name, labels } of samples) {
    if (!/^sluice_(?:publisher|consumer)_contract_info$/.test(name)) continue;
    const { topic = '', contract = '' } = labels;
    contracts.set(topic, (contracts.get(topic) ?? new Set()).add(contract));
  }
  if (contracts.size > 0) return contracts;
  return new Map(topics.map((topic) => [topic.name, new Set(storedContracts(topic).slice(-1))]));
}

/** Contracts that gateways of this version write and this consumer would refuse: `track.v2`. */
export const listRefusedContracts = (consumer: Contracts, topics: readonly Topic[] = allTopics): string[] =>
  topics.flatMap((topic) =>
    writtenContracts(topic).filter((contract) => consumer.get(topic.name)?.has(contract) === false),
  );

/** Contracts of another process that consumers of this version would refuse, because they are newer. */
export const listNewerContracts = (contracts: Contracts, topics: readonly Topic[] = allTopics): string[] =>
  topics.flatMap((topic) => {
    const ownContracts = storedContracts(topic);
    return [...(contracts.get(topic.name) ?? [])].filter((contract) => !ownContracts.includes(contract));
  });
