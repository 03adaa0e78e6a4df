import { findTopicsBehind, type Kafka, readEnds, type TopicBehind, type TopicEnds } from '@sluice/kafka';
import { type Destination, destinations } from '../destinations.js';
import { personTables } from './person-tables.js';

const tables = new Set(personTables.map(({ table }) => table));

/** Topics whose messages hold people, with their groups and tables. */
export const personDestinations: readonly Destination[] = destinations.filter(({ table }) => tables.has(table));

/** The ends of these topics now. */
export const readPersonEnds = (kafka: Kafka): Promise<TopicEnds> =>
  readEnds(
    kafka,
    personDestinations.map(({ topic }) => topic),
  );

/** The topics that still have messages before `ends` to be stored. */
export const readBehindPersonEnds = (kafka: Kafka, ends: TopicEnds): Promise<TopicBehind[]> =>
  findTopicsBehind(kafka, personDestinations, ends);

export const describeBehind = (behind: readonly TopicBehind[]): string =>
  behind.map(({ topic, messages }) => `${messages} messages of ${topic}`).join(', ');
