/** Events of the shop that an app could lose. */
export const lostEvents = [
  'page_view',
  'product_viewed',
  'product_added',
  'search',
  'checkout_started',
  'signed_up',
  'order_completed',
  'newsletter_opened',
] as const;
