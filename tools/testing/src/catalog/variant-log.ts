import { randomUUID } from 'node:crypto';
import { productVariantTopic } from '@sluice/contracts';
import { type Random } from '../random.js';

// Messages about product variants as gateways write them, and which of them are the states in the end.

/** A message about a variant. */
export interface VariantMessage {
  readonly entity: string;
  /** Price; undefined for a deletion. */
  readonly price: number | undefined;
  readonly version: number;
  readonly messageId: string;
  /** Whether it came with a key. */
  readonly isKeyed: boolean;
  /** Whether an earlier gateway wrote it. */
  readonly isOld?: boolean;
}

export const keyedId = (): string => randomUUID().replace(/^(.{14})./, '$18');
export const unkeyedId = (): string => randomUUID().replace(/^(.{14})./, '$17');

/** The row of a message, and its contract. */
export function toVariantRow(
  { entity, price, version, messageId, isOld = false }: VariantMessage,
  source: string,
): { contract: string; row: Record<string, unknown> } {
  const { contract, deletionContract } = productVariantTopic;
  const isDeleted = price === undefined;
  const state = { product_id: 'p', seller_id: 's', price: String(price), stock: '1', is_available: true };
  return {
    contract: isDeleted ? deletionContract : contract,
    row: {
      ...{ source_id: source, request_id: randomUUID(), received_at: new Date().toISOString() },
      ...(!isOld && { message_id: messageId }),
      ...{ version, variant_id: entity },
      ...(isDeleted ? { is_deleted: true } : { ...state, is_buy_box_winner: true }),
    },
  };
}

/** Offset of the clocks of two gateways. */
const clocks = [0, -2_000_000];
const aheadUs = 5_000_000;

/**
 * Messages in the order of Kafka: updates and deletions of few entities through two gateways, with and without the
 * sender's time, equal times and times in the future among them, repeats with and without a key, rows of an earlier
 * gateway.
 */
export function makeVariantLog(random: Random, count: number): VariantMessage[] {
  const log: VariantMessage[] = [];
  const lastVersions = [0, 0];
  let now = 1_800_000_000_000_000;
  for (let n = 0; n < count; n++) {
    now += random.below(300_000);
    const gateway = random.below(2);
    const arrival = Math.max((lastVersions[gateway] ?? 0) + 1, now + (clocks[gateway] ?? 0));
    lastVersions[gateway] = arrival;
    const earlier = log[random.below(log.length || 1)];
    if (earlier && random.below(10) === 0) {
      // A repeat keeps the sender's time; without one it arrives again, later than its first copy.
      const isTimed = earlier.version % 1_000_000 === 0;
      log.push({
        ...earlier,
        version: isTimed ? earlier.version : Math.max(arrival, earlier.version + 1),
        messageId: earlier.isKeyed ? earlier.messageId : unkeyedId(),
      });
      continue;
    }
    const isTimed = random.below(2) === 0;
    // Whole seconds, so that many are equal.
    const updatedAt = (Math.floor(now / 1_000_000) + random.below(200) - 150) * 1_000_000;
    const isKeyed = random.below(3) === 0;
    log.push({
      entity: `v${random.below(count / 40)}`,
      price: random.below(4) === 0 ? undefined : n,
      version: isTimed ? Math.min(updatedAt, arrival + aheadUs) : arrival,
      messageId: isKeyed ? keyedId() : unkeyedId(),
      isKeyed,
      isOld: !isTimed && !isKeyed && random.below(5) === 0,
    });
  }
  return log.map((sent) => (sent.isOld && sent.price === undefined ? { ...sent, price: 1 } : sent));
}

/** The rule of docs/sync-api.md#which-message-wins, without a table. */
export function readVariantModel(log: readonly VariantMessage[]): Map<string, number> {
  const states = new Map<string, VariantMessage>();
  const keys = new Set<string>();
  for (const sent of log) {
    if (sent.isKeyed && keys.has(sent.messageId)) continue;
    keys.add(sent.messageId);
    const state = states.get(sent.entity);
    if (!state || sent.version >= state.version) states.set(sent.entity, sent);
  }
  return new Map([...states].flatMap(([entity, { price }]) => (price === undefined ? [] : [[entity, price] as const])));
}
