/** Names of the Kafka headers of a message. Listed in docs/architecture.md#topics-and-messages. */
export const header = {
  contract: 'contract',
  requestId: 'request-id',
  traceparent: 'traceparent',
  /** Marks a message that may be in Kafka more than once; it is looked up by its message_id before it is stored. */
  possibleRepeat: 'possible-repeat',
} as const;

/**
 * The contract of a blank message, which has no value and belongs to nobody. A gateway publishes one when it drops all
 * messages of a request, so that the answer takes as long as any other; consumers leave it out.
 */
export const blankContract = 'blank.v1';
