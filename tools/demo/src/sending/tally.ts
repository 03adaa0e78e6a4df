import { type ShopCall, type CatalogEndpoint } from '../call.js';

const interactions: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  click: 'clicked',
  close: 'closed',
  failed: 'failed',
  open: 'opened',
};

export interface SentCounts {
  readonly requests: number;
  /** Requests that had to be sent again. */
  readonly repeats: number;
  /** Messages of any kind. */
  readonly messages: number;
  readonly events: number;
  readonly identifies: number;
  /** Different entities. */
  readonly entities: Readonly<Record<CatalogEndpoint, number>>;
  /** Different interactions: a callback and an event about the same interaction count once. */
  readonly interactions: number;
  readonly devices: number;
  readonly adRequests: number;
}

/** Counts what the gateway has accepted, in the way the tables will count it. */
export class Tally {
  private requests = 0;
  private repeats = 0;
  private messages = 0;
  private events = 0;
  private identifies = 0;
  private adRequests = 0;
  private readonly entities: Record<CatalogEndpoint, Set<string>> = {
    seller: new Set(),
    category: new Set(),
    product: new Set(),
    productVariant: new Set(),
    general: new Set(),
  };
  private readonly interactions = new Set<string>();
  private readonly devices = new Set<string>();

  addRepeat(): void {
    this.repeats += 1;
  }

  addAccepted(call: ShopCall): void {
    this.requests += 1;
    this.messages += countMessages(call);
    if (call.api === 'identify') this.identifies += call.list.length;
    else if (call.api === 'ad') this.adRequests += 1;
    else if (call.api === 'catalog') this.entities[call.endpoint].add(entityId(call.entity));
    else if (call.api === 'callback') this.addInteraction(call.query['token'], interactions[call.endpoint]);
    else for (const { event, properties } of call.list) this.addEvent(event, properties ?? {});
  }

  get sent(): SentCounts {
    const entities = Object.fromEntries(Object.entries(this.entities).map(([type, ids]) => [type, ids.size]));
    const { requests, repeats, messages, events, identifies, adRequests } = this;
    return {
      requests,
      repeats,
      messages,
      events,
      identifies,
      adRequests,
      entities: entities as Record<CatalogEndpoint, number>,
      interactions: this.interactions.size,
      devices: this.devices.size,
    };
  }

  private addEvent(event: string, properties: Readonly<Record<string, unknown>>): void {
    this.events += 1;
    if (event === 'bb_notification_registered') {
      this.devices.add(`${String(properties['device_id'])} ${String(properties['key'])}`);
    } else if (event.startsWith('bb_notification_')) {
      this.addInteraction(properties['id'], event.slice('bb_notification_'.length));
    }
  }

  private addInteraction(token: unknown, interaction: string | undefined): void {
    this.interactions.add(`${String(token)} ${interaction ?? ''}`);
  }
}

export const countMessages = (call: ShopCall): number => ('list' in call ? call.list.length : 1);

/** The entity's own id: it is the first property, before the ids of related entities. */
const entityId = (entity: object): string => String(Object.values(entity)[0]);
