import { Documented, IsFreeForm, Optional } from '../fields/constraints.js';
import { type FreeForm, TrackingMessage } from './tracking-message.js';

/** A message with traits of a user: docs/api.md#track-and-identify-messages. */
export class IdentifyMessage extends TrackingMessage {
  @Documented('Free-form traits of the user.', { plan: 'pro', email: 'ada@example.com' })
  @Optional()
  @IsFreeForm({ names: 'restricted' })
  traits?: FreeForm | null;
}
