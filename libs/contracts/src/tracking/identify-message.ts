import { IsFreeForm, Optional } from '../fields/constraints.js';
import { type FreeForm, TrackingMessage } from './tracking-message.js';

/** What is known about a user. Source: interface §2.2. */
export class IdentifyMessage extends TrackingMessage {
  @Optional()
  @IsFreeForm()
  traits?: FreeForm | null;
}
