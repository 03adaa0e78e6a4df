import { type IdentifyMessage, type TrackMessage } from '@sluice/contracts';

export type CatalogEndpoint = 'seller' | 'category' | 'product' | 'productVariant' | 'general';
export type CallbackEndpoint = 'delivered' | 'click' | 'close' | 'failed' | 'open';

/** One request to the gateway, without address and credentials. */
export type ShopCall =
  | { readonly api: 'track'; readonly list: readonly TrackMessage[] }
  | { readonly api: 'identify'; readonly list: readonly IdentifyMessage[] }
  | { readonly api: 'catalog'; readonly endpoint: CatalogEndpoint; readonly entity: object }
  | { readonly api: 'callback'; readonly endpoint: CallbackEndpoint; readonly query: Readonly<Record<string, string>> }
  | { readonly api: 'ad'; readonly body: object };
