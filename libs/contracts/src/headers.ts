/** Names of the Kafka headers of a message. Source: design §3. */
export const header = {
  contract: 'contract',
  requestId: 'request-id',
  traceparent: 'traceparent',
} as const;
