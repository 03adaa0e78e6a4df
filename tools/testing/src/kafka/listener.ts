/** An additional address of a broker, for clients that use TLS or authenticate. */
export interface Listener {
  readonly protocol: 'SSL' | 'SASL_SSL' | 'SASL_PLAINTEXT';
  readonly port: number;
  /** Kafka properties of this listener without the prefix `listener.name.<name>.`. */
  readonly properties: Readonly<Record<string, string>>;
}
