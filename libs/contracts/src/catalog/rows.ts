import { type FreeForm } from '../tracking/tracking-message.js';

/** Columns that all tables of entities share, next to the origin of a row. */
export interface StateRow {
  /** Decides which of two states counts: docs/sync-api.md#which-message-wins. */
  version: number;
  message_id: string;
  /** ISO 8601 UTC. */
  updated_at?: string | undefined;
}

/** A row that deletes an entity: these columns, and that of its id. */
export interface DeletionRow {
  is_deleted: true;
}

/** A row of the table `sellers`: the value of a message in `catalog.seller.v1`. A member that is undefined is left out. */
export interface SellerRow {
  seller_id: string;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email: string;
  national_id?: string | null | undefined;
  address?: string | null | undefined;
  phone_number?: string | null | undefined;
  is_active: boolean;
  is_brand: boolean;
  is_marketplace_owner: boolean;
  /** ISO 8601 UTC. */
  created_at?: string | undefined;
  attributes?: FreeForm | null | undefined;
}

/** A row of the table `products`. */
export interface ProductRow {
  product_id: string;
  name: string;
  name_en?: string | null | undefined;
  /** ISO 8601 UTC. */
  created_at?: string | undefined;
  brand?: string | null | undefined;
  category_id: string;
  main_image: string;
  additional_media?: string[] | null | undefined;
  description?: string | null | undefined;
  total_stock: number;
  is_available: boolean;
  url: string;
  attributes?: FreeForm | null | undefined;
}

/** A row of the table `product_variants`; decimals are text, so that no digit is lost. */
export interface ProductVariantRow {
  variant_id: string;
  product_id: string;
  seller_id: string;
  price: string;
  discounted_price?: string | undefined;
  stock: string;
  is_available: boolean;
  is_buy_box_winner: boolean;
  image?: string | null | undefined;
  attributes?: FreeForm | null | undefined;
  url?: string | null | undefined;
}

/** A row of the table `categories`. */
export interface CategoryRow {
  category_id: string;
  name: string;
  parent_category_id?: string | null | undefined;
  level: number;
  is_leaf: boolean;
  url: string;
}

/** A row of the table `general_entities`. */
export interface GeneralEntityRow {
  id: string;
  type?: string | null | undefined;
  data?: FreeForm | null | undefined;
}
