import { Documented, IsDateTime, IsFreeForm, Optional, RequiredWithout } from '../fields/constraints.js';
import { IsText } from '../fields/text.js';
import { type FreeForm } from './tracking-message.js';

/** Upper bound of ids and names of events in characters. Segment's clients send any text. */
const maxTextLength = 256;

/** Fields that all messages of Segment's clients have in common: docs/segment.md#what-becomes-what. */
class SegmentMessage {
  @Documented('Unique user identifier. userId or anonymousId is required.', 'u-1024')
  @RequiredWithout('anonymousId')
  @IsText({ max: maxTextLength })
  userId?: string | null;

  @Documented('Id of a device or a session.', 'a-7f3c')
  @Optional()
  @IsText({ max: maxTextLength })
  anonymousId?: string | null;

  @Optional()
  @IsFreeForm({ names: 'free' })
  context?: FreeForm | null;

  @Optional()
  @IsDateTime()
  timestamp?: string | null;
}

/** A message of Segment's `track`, `page`, `screen` or `group`, which becomes a row of `events`. */
export class SegmentEvent extends SegmentMessage {
  @Documented('Name of the action.', 'Order Completed')
  @IsText({ max: maxTextLength })
  event!: string;

  @Optional()
  @IsFreeForm({ names: 'free' })
  properties?: FreeForm | null;
}

/** A message of Segment's `identify` or `alias`, which becomes a row of `identifies`. */
export class SegmentIdentify extends SegmentMessage {
  @Optional()
  @IsFreeForm({ names: 'free' })
  traits?: FreeForm | null;
}
