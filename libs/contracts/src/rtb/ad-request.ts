import { withTopicPrefix } from '../installation.js';
import { type Topic } from '../topic.js';
import { type RowOrigin } from '../tracking/rows.js';
import { type FreeForm } from '../tracking/tracking-message.js';

export const adRequestTopic = {
  name: withTopicPrefix('rtb.ad-request.v1'),
  contract: 'ad-request.v1',
} as const satisfies Topic;

/** A row of the table `ad_requests`: the value of a message in `rtb.ad-request.v1`. See docs/push.md#ad-requests. */
export interface AdRequestRow extends RowOrigin {
  /** UUID; the same for every copy of one message. `source_id` is empty when the body names no source. */
  message_id: string;
  endpoint: 'ad' | 'sponsoredAd';
  body: FreeForm;
}
