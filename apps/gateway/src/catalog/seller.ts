import { Seller, type SellerRow, sellerTopic } from '@sluice/contracts';
import { type Entity, utc } from './entity.js';

/** A seller becomes a row of `sellers`. */
export const seller: Entity<Seller, SellerRow> = {
  type: Seller,
  topic: sellerTopic,
  idOf: ({ sellerId }) => sellerId,
  toColumns: (message) => ({
    seller_id: message.sellerId,
    first_name: message.firstName,
    last_name: message.lastName,
    email: message.email,
    national_id: message.nationalId,
    address: message.address,
    phone_number: message.phoneNumber,
    is_active: message.isActive,
    is_brand: message.isBrand,
    is_marketplace_owner: message.isMarketPlaceOwner,
    created_at: utc(message.createdAt),
    attributes: message.attributes,
  }),
};
