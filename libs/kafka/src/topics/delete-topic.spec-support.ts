import { type Kafka } from '@sluice/kafkajs';
import { eventually } from '@sluice/testing';
import { expect } from 'vitest';
import { withAdmin } from '../connection/admin.js';

/** Deletes a topic, and waits until Kafka lists it no longer: before that, none of its name can be created. */
export const deleteTopic = (kafka: Kafka, topic: string): Promise<void> =>
  withAdmin(kafka, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    await eventually(async () => {
      expect(await admin.listTopics()).not.toContain(topic);
    });
  });
