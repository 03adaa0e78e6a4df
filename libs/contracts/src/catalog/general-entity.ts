import { Documented, IsDateTime, IsFreeForm, Optional } from '../fields/constraints.js';
import { IsAnyText, IsText } from '../fields/text.js';
import { type FreeForm } from '../tracking/tracking-message.js';

/** An entry of the catalog of any other kind. Its fields: docs/api.md#general-entity. */
export class GeneralEntity {
  @Documented('Identifies the entity, whatever its type; a later message with the same id replaces it.', 'store-3')
  @IsText({ max: 255 })
  id!: string;

  @Documented('Categorizes the entity.', 'store')
  @Optional()
  @IsAnyText({ max: 255 })
  type?: string | null;

  @Documented('Arbitrary key-value pairs.', { city: 'Shiraz' })
  @Optional()
  @IsFreeForm({ names: 'free' })
  data?: FreeForm | null;

  @Documented(
    'When the sender changed it; of two states, the one with the later time counts.',
    '2026-01-31T12:00:00.000Z',
  )
  @Optional()
  @IsDateTime()
  updatedAt?: string | null;
}
