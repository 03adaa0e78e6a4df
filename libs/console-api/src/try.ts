import { type Problem } from './refused.js';

/** A route of the gateway, below `/api/tracker`. */
export type TryRoute =
  | 'track'
  | 'identify'
  | 'trackBatch'
  | 'identifyBatch'
  | 'seller'
  | 'product'
  | 'productVariant'
  | 'category'
  | 'general'
  | 'sellerBatch'
  | 'productBatch'
  | 'productVariantBatch'
  | 'categoryBatch'
  | 'generalBatch'
  | 'sellerDelete'
  | 'productDelete'
  | 'productVariantDelete'
  | 'categoryDelete'
  | 'generalDelete';

export interface TryRequest {
  route: TryRoute;
  /**
   * Text of the body, as it would be sent.
   * @maxLength 900000
   */
  body: string;
  /** Whether to ask for `Prefer: handling=lenient`. */
  isLenient?: boolean;
}

/** The gateway's own answer to `?validate=only`; nothing is stored. */
export interface TryAnswer {
  status: number;
  requestId: string | null;
  /** Text of the answer. */
  answer: string;
  wouldPass: boolean;
  /** Problems, or values that would be left out. */
  problems: Problem[];
  dropped: Problem[];
  rejected: Problem[];
  tookMs: number;
  /** The same as a command; the key is a placeholder. */
  curl: string;
}
