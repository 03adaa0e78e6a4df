import { Documented, IsEventName, IsFreeForm, Optional } from '../fields/constraints.js';
import { type FreeForm, TrackingMessage } from './tracking-message.js';

/** A message about an action of a user: docs/api.md#track-and-identify-messages. */
export class TrackMessage extends TrackingMessage {
  @Documented('Name of the action; snake_case is recommended.', 'order_completed')
  @IsEventName()
  event!: string;

  @Documented('Free-form event properties.', { total: 49.9, items: 3 })
  @Optional()
  @IsFreeForm({ names: 'restricted' })
  properties?: FreeForm | null;
}
