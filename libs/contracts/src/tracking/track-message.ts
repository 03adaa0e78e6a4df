import { IsEventName, IsFreeForm, Optional } from '../fields/constraints.js';
import { type FreeForm, TrackingMessage } from './tracking-message.js';

/** What a user did. Source: interface §2.3. */
export class TrackMessage extends TrackingMessage {
  @IsEventName()
  event!: string;

  @Optional()
  @IsFreeForm()
  properties?: FreeForm | null;
}
