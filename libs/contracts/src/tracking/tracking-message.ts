import { Documented, IsDateTime, IsFreeForm, IsPersonId, Optional, RequiredWithout } from '../fields/constraints.js';

/** Any JSON object a client may send; its values are bounded when the row is shaped (docs/api.md#free-form-values). */
export type FreeForm = Record<string, unknown>;

/** Fields that identify and track messages have in common: docs/api.md#track-and-identify-messages. */
export class TrackingMessage {
  @Documented('Unique user identifier. userId or anonymousId is required.', 'u-1024')
  @RequiredWithout('anonymousId')
  @IsPersonId()
  userId?: string | null;

  @Documented('Pseudo-unique substitute when no unique user id is known.', 'a-7f3c')
  @Optional()
  @IsPersonId()
  anonymousId?: string | null;

  @Documented('Free-form extra information about the message.', { locale: 'de-DE' })
  @Optional()
  @IsFreeForm({ names: 'free' })
  context?: FreeForm | null;

  @Documented('When it took place; the time of arrival if left out.', '2026-01-31T12:00:00.000Z')
  @Optional()
  @IsDateTime()
  timestamp?: string | null;
}
