import { CompactedTopicWriter, type Kafka } from '@sluice/kafka';
import { ensurePlansTopic, parsePlan, type PlanMode, plansTopic, activationRecord, planRecord } from '@sluice/plans';

/** A plan of an event with an id, an amount and items, and of one trait. */
export const shopPlan = (source: string, version: number, change: object = {}): object => ({
  version,
  sources: [source],
  events: {
    order_completed: {
      properties: {
        order_id: { type: 'string' },
        total: { type: 'number', minimum: 0 },
        items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
        ...change,
      },
      required: ['order_id'],
    },
  },
  traits: { properties: { plan: { type: 'string', enum: ['free', 'pro'] } } },
});

interface Activated {
  source: string;
  plan: object;
  mode: PlanMode;
  candidate?: object;
}

/** Writes a plan and activates it, as `operator plans` does. */
export async function activate(kafka: Kafka, { source, plan, mode, candidate }: Activated): Promise<void> {
  await ensurePlansTopic(kafka, { KAFKA_BROKERS: [], TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 });
  const writer = new CompactedTopicWriter(kafka, plansTopic);
  const plans = [plan, ...(candidate ? [candidate] : [])].map((document) => parsePlan(document));
  const [active, observed] = plans;
  const activatedAt = new Date().toISOString();
  await writer.write([
    ...plans.map((parsedPlan) => planRecord(source, parsedPlan)),
    activationRecord(source, {
      versions: [active?.version ?? 0],
      mode,
      activatedAt,
      ...(observed && { candidate: observed.version, candidateSince: activatedAt }),
    }),
  ]);
  await writer.stop();
}
