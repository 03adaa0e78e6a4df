/** Names of the Kafka headers of a message. Source: design §3. */
export const header = {
  contract: 'contract',
  requestId: 'request-id',
  traceparent: 'traceparent',
  /** The message may be in Kafka more than once: it is looked up by its message_id before it is stored. */
  possibleRepeat: 'possible-repeat',
} as const;
