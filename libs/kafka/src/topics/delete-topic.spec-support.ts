import { type Kafka } from '@sluice/kafkajs';
import { eventually } from '@sluice/testing';
import { expect } from 'vitest';
import { withAdmin } from '../connection/admin.js';

/** Deletes a topic. Kafka lists it for a moment longer, in which none of its name is created: waits until that is over. */
export const deleteTopic = (kafka: Kafka, topic: string): Promise<void> =>
  withAdmin(kafka, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    await eventually(async () => {
      expect(await admin.listTopics()).not.toContain(topic);
    });
  });
