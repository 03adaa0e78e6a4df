import { Documented, IsDateTime, IsFreeForm, Optional } from '../fields/constraints.js';
import { IsFlag } from '../fields/numbers.js';
import { HasLength, IsAnyText, IsEmailAddress, IsText } from '../fields/text.js';
import { type FreeForm } from '../tracking/tracking-message.js';

/** A seller on the marketplace. Its fields: docs/api.md#seller. */
export class Seller {
  @Documented('Identifies the seller; a later message with the same id replaces the seller.', 'seller-7')
  @IsText({ max: 255 })
  sellerId!: string;

  @Documented('First name.', 'Ada')
  @Optional()
  @IsAnyText({ max: 255 })
  firstName?: string | null;

  @Documented('Last name.', 'Lovelace')
  @Optional()
  @IsAnyText({ max: 255 })
  lastName?: string | null;

  @Documented('E-mail address; letters of any script.', 'ada@example.com')
  @IsEmailAddress({ max: 255 })
  email!: string;

  @Documented('National id.', '0012345678')
  @Optional()
  @HasLength(10)
  nationalId?: string | null;

  @Documented('Postal address.')
  @Optional()
  @IsAnyText({ max: 512 })
  address?: string | null;

  @Documented('Phone number.', '+98 21 1234 5678')
  @Optional()
  @IsAnyText({ max: 20 })
  phoneNumber?: string | null;

  @Documented('Whether the seller sells at present.', true)
  @IsFlag()
  isActive!: boolean;

  @Documented('Whether the seller is a brand.', false)
  @IsFlag()
  isBrand!: boolean;

  @Documented('Whether the seller owns the marketplace.', false)
  @IsFlag()
  isMarketPlaceOwner!: boolean;

  @Documented('When the seller was created.', '2026-01-31T12:00:00.000Z')
  @Optional()
  @IsDateTime()
  createdAt?: string | null;

  @Documented('Free-form metadata.', { tier: 'gold' })
  @Optional()
  @IsFreeForm({ names: 'free' })
  attributes?: FreeForm | null;

  @Documented(
    'When the sender changed it; of two states, the one with the later time counts.',
    '2026-01-31T12:00:00.000Z',
  )
  @Optional()
  @IsDateTime()
  updatedAt?: string | null;
}
