import { Seller, SellerDeletion, type SellerRow, sellerTopic } from '@sluice/contracts';
import { type EntityDefinition } from './entity.js';
import { toUtc } from './to-utc.js';

/** A seller becomes a row of `sellers`. */
export const seller: EntityDefinition<Seller, SellerRow, SellerDeletion> = {
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
    created_at: toUtc(message.createdAt),
    attributes: message.attributes,
  }),
  deletion: SellerDeletion,
  toDeletedId: ({ sellerId }) => ['seller_id', sellerId],
};
