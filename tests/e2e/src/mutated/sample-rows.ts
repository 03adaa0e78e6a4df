import type {
  AdRequestRow,
  CategoryRow,
  DeviceRow,
  EventRow,
  GeneralEntityRow,
  IdentifyRow,
  InteractionRow,
  ProductRow,
  ProductVariantRow,
  RefusedMessageRow,
  RowOrigin,
  SellerRow,
} from '@sluice/contracts';

const at = '2026-03-04T05:06:07.089Z';
const id = '0190a6e5-2f3c-7d8b-9a3e-1b2c3d4e5f60';
const origin: RowOrigin = { source_id: 'MutatedShop1', request_id: id, received_at: at };
const freeForm = {
  text: 'a "quoted" \\ one, é, 😀, {}[]',
  count: 3,
  price: 19.99,
  list: [1, 'two', { three: [true, null] }],
  products: [{ product_id: 'p1' }, { product_id: 2 }],
  deep: { er: { still: { at } } },
};
const tracked = { ...origin, message_id: id, user_id: 'u1', anonymous_id: 'a1', timestamp: at, context: freeForm };
const entity = { ...origin, version: 1_772_600_000_000_000 };

const event: EventRow = { ...tracked, event: 'product_viewed', properties: freeForm };
const identify: IdentifyRow = { ...tracked, traits: freeForm };
const refused: RefusedMessageRow = {
  ...origin,
  message_id: id,
  user_id: 'u1',
  anonymous_id: 'a1',
  timestamp: at,
  kind: 'track',
  event: 'product_viewed',
  reason: 'plan',
  plan_version: 3,
  violations: ['wrong_type:total', 'more'],
  problems: JSON.stringify([{ field: 'properties.total', message: 'must be a number' }]),
  user_agent: 'Mozilla/5.0',
  country: 'DE',
  body: JSON.stringify({ userId: 'u1', event: 'product_viewed', properties: freeForm }),
};
const adRequest: AdRequestRow = { ...origin, message_id: id, endpoint: 'sponsoredAd', body: freeForm };
const interaction: InteractionRow = {
  ...origin,
  campaign_id: 'c1',
  notification_id: 'n1',
  interaction: 'clicked',
  variation_id: 'v1',
  profile_id: 'p1',
  channel: 'web-push',
  provider: 'fcm',
  issued_at: at,
  occurred_at: at,
  url: 'https://shop.test/?a=b',
  button: 1,
  action_id: 'buy',
  reported_by: ['callback'],
};
const device: DeviceRow = { ...origin, device_id: 'd1', key: 'token', sdk: 'WEB', user_id: 'u1', registered_at: at };
const seller: SellerRow & typeof entity = {
  ...entity,
  seller_id: 's1',
  first_name: 'Ada',
  email: 'ada@shop.test',
  is_active: true,
  is_brand: false,
  is_marketplace_owner: false,
  created_at: at,
  attributes: freeForm,
};
const product: ProductRow & typeof entity = {
  ...entity,
  product_id: 'p1',
  name: 'Chair',
  created_at: at,
  category_id: 'c1',
  main_image: 'https://shop.test/1.png',
  additional_media: ['https://shop.test/2.png', 'https://shop.test/3.png'],
  total_stock: 12,
  is_available: true,
  url: 'https://shop.test/p1',
  attributes: freeForm,
};
const variant: ProductVariantRow & typeof entity = {
  ...entity,
  variant_id: 'v1',
  product_id: 'p1',
  seller_id: 's1',
  price: '19.990000001',
  discounted_price: '9.5',
  stock: '3',
  is_available: true,
  is_buy_box_winner: false,
  attributes: freeForm,
};
const category: CategoryRow & typeof entity = {
  ...entity,
  category_id: 'c1',
  name: 'Chairs',
  parent_category_id: 'c0',
  level: 2,
  is_leaf: true,
  url: 'https://shop.test/c1',
};
const generalEntity: GeneralEntityRow & typeof entity = { ...entity, id: 'e1', type: 'store', data: freeForm };

/** One row, with most columns, for each table that receives blocks. */
export const sampleRows = {
  events: event,
  identifies: identify,
  refused_messages: refused,
  ad_requests: adRequest,
  push_interactions: interaction,
  push_devices: device,
  sellers: seller,
  products: product,
  product_variants: variant,
  categories: category,
  general_entities: generalEntity,
} as const satisfies Record<string, object>;
