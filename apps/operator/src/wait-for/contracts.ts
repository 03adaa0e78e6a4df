import { type Sample } from '@sluice/operations';
import { allTopics, storedContracts, type Topic } from '@sluice/contracts';

/** Contracts that a process writes or stores, by topic. */
export type Contracts = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads from its metrics which contracts a process writes or stores. Without these metrics: the oldest contracts. */
export function contractsIn(samples: readonly Sample[], topics: readonly Topic[] = allTopics): Contracts {
  const found = new Map<string, Set<string>>();
  for (const { name, labels } of samples) {
    if (!/^sluice_(?:publisher|consumer)_contract_info$/.test(name)) continue;
    const { topic = '', contract = '' } = labels;
    found.set(topic, (found.get(topic) ?? new Set()).add(contract));
  }
  if (found.size > 0) return found;
  return new Map(topics.map((topic) => [topic.name, new Set(storedContracts(topic).slice(-1))]));
}

/** Contracts that gateways of this version write and this consumer would refuse: `track.v2`. */
export const refusedBy = (consumer: Contracts, topics: readonly Topic[] = allTopics): string[] =>
  topics.filter(({ name, contract }) => consumer.get(name)?.has(contract) === false).map(({ contract }) => contract);

/** Contracts of another process that consumers of this version would refuse, because they are newer. */
export const newerThanOurs = (other: Contracts, topics: readonly Topic[] = allTopics): string[] =>
  topics.flatMap((topic) => {
    const ours = storedContracts(topic);
    return [...(other.get(topic.name) ?? [])].filter((contract) => !ours.includes(contract));
  });
